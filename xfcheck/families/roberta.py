"""RoBERTa (Liu et al. 2019, arXiv 1907.11692) and its clones: XLM-R, CamemBERT, data2vec, pre-norm versions, X-MOD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Sublayer
from ._read.decoder import layer_norm
from ._read.encoder import ROBERTA_TASKS, bert_stack, column, encoder_model, learned, pad_offset, residual_steps
from ._rows.encoder_names import DENSE, LM_HEAD, bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.norm import Norm
    from ..ledger import Row
    from ._read.settings import Settings
    from ._rows.names import Names

MODEL_TYPES = ("roberta", "xlm-roberta", "camembert", "data2vec-text", "xlm-roberta-xl", "roberta-prelayernorm", "xmod")

XL = {
    "attention.norm": "attention.self_attn_layer_norm",
    "cross_attention.norm": "crossattention.self_attn_layer_norm",
    "feed_forward.norm": "LayerNorm",
    "final_norm": "roberta.encoder.LayerNorm",
}
PRE_NORM = {
    "attention.norm": "attention.LayerNorm",
    "cross_attention.norm": "crossattention.LayerNorm",
    "feed_forward.norm": "intermediate.LayerNorm",
    "final_norm": "roberta_prelayernorm.LayerNorm",
}
XMOD = {
    "attention.norm": "attention.output.LayerNorm",
    "cross_attention.norm": "crossattention.output.LayerNorm",
    "feed_forward.norm": "output.LayerNorm",
    "adapter.norm": "output.adapter_layer_norm",
    "final_norm": "roberta.encoder.LayerNorm",
}
ROBERTA = bert_names("roberta", DENSE, head=LM_HEAD)
NAMES = {
    "roberta": ROBERTA,
    "xlm-roberta": ROBERTA,
    "camembert": ROBERTA,
    "data2vec-text": bert_names("data2vec_text", DENSE, head=LM_HEAD),
    "xlm-roberta-xl": bert_names("roberta", DENSE, XL, head=LM_HEAD),
    "roberta-prelayernorm": bert_names("roberta_prelayernorm", DENSE, PRE_NORM, head=LM_HEAD),
    "xmod": bert_names("roberta", DENSE, XMOD, head=LM_HEAD),
}


def architecture(c: Settings) -> Architecture:
    """BERT's layers; positions are numbered from the padding id + 1, so that the table has rows that no token uses."""
    naming = "roberta" if c.table is None else c.table.model_type
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    if naming in ("xlm-roberta-xl", "roberta-prelayernorm"):
        first = norm if naming == "roberta-prelayernorm" else None
        stack = column(c, hidden, residual_steps(c, hidden, norm, place="norm"), embedding_norm=first, final_norm=norm)
    elif naming == "xmod":
        before = c.flag("pre_norm")
        steps = [*residual_steps(c, hidden, norm, place="norm" if before else "norm_residual"), _adapters(c, hidden, norm)]
        stack = column(c, hidden, steps, embedding_norm=norm, final_norm=norm if before else None)
    else:
        stack = bert_stack(c)
    return encoder_model(c, stack, ROBERTA_TASKS, naming=naming, position=learned(c, offset=pad_offset(c)))


def _adapters(c: Settings, hidden: int, norm: Norm) -> Sublayer:
    """A bottleneck a language after the feed-forward (Pfeiffer et al. 2022, arXiv 2205.06266); a token passes its own language's alone."""
    languages = c.list("languages") or []
    narrow = hidden // c.int("adapter_reduction_factor")
    spoken = c.text("default_language")
    spoken = spoken if spoken in languages else str(languages[0]) if languages else None
    pieces = []
    for language in languages:
        stream = None if language == spoken else "absent"
        for part, shape in (("dense1", [narrow, hidden]), ("dense2", [hidden, narrow])):
            pieces.append(Projection(name=f"{language}.{part}", shape=shape, bias=True, stream=stream))
    return Sublayer(name="adapter", mixers=[], norm=norm if c.flag("adapter_layer_norm") else None, projections=pieces)


def _named(a: Architecture) -> Names:
    """X-MOD's adapters are named by their languages."""
    names = NAMES[a.naming or "roberta"]
    steps = [step for block in a.main.blocks for step in block.sublayers if step.name == "adapter"]
    return names.but({f"adapter.{p.name}": f"output.adapter_modules.{p.name}" for step in steps for p in step.projections})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, _named(a))
