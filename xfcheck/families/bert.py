"""BERT (Devlin et al. 2018, arXiv 1810.04805) and its near relatives: ERNIE, Megatron-BERT, RoCBert, BERT for generation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._read.decoder import layer_norm
from ._read.encoder import Tasks, bert_stack, column, encoder_head, encoder_model, learned, residual_steps
from ._read.head import named_kind
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("bert", "ernie", "megatron-bert", "roc_bert", "bert-generation", "visual_bert")

MEGATRON = {
    "attention.norm": "attention.ln",
    "cross_attention.norm": "crossattention.ln",
    "feed_forward.norm": "ln",
    "final_norm": "bert.encoder.ln",
}
ROC_BERT = {
    "pronunciation": "roc_bert.embeddings.pronunciation_embed",
    "shape": "roc_bert.embeddings.shape_embed",
    "inputs": "roc_bert.embeddings.map_inputs_layer",
}
VISUAL_BERT = {
    "image_types": "visual_bert.embeddings.visual_token_type_embeddings",
    "image_positions": "visual_bert.embeddings.visual_position_embeddings",
    "image_map": "visual_bert.embeddings.visual_projection",
}
NAMES = {
    "visual_bert": bert_names("visual_bert", VISUAL_BERT),
    "bert": bert_names("bert"),
    "ernie": bert_names("ernie", {"task_types": "ernie.embeddings.task_type_embeddings"}),
    "megatron-bert": bert_names("bert", MEGATRON),
    "roc_bert": bert_names("roc_bert", ROC_BERT),
    "bert-generation": bert_names("bert", head={"head": "lm_head.decoder", "head_bias": "lm_head"}),
}


def architecture(c: Settings) -> Architecture:
    """Post-norm encoder; `is_decoder` makes it causal with a cache, `add_cross_attention` adds a memory that no encoder here fills."""
    naming = "bert" if c.table is None else c.table.model_type
    return {"megatron-bert": _megatron, "roc_bert": _roc_bert, "bert-generation": _generation, "visual_bert": _visual_bert}.get(
        naming, _bert
    )(c, naming)


def _bert(c: Settings, naming: str) -> Architecture:
    """BERT itself; ERNIE adds a table of task types where `use_task_id` asks for one."""
    stack = bert_stack(c)
    tables = []
    if naming == "ernie" and c.flag("use_task_id"):
        shape = [c.int("task_type_vocab_size"), stack.hidden_size]
        tables.append(Projection(name="task_types", shape=shape, multiplies=False, component="token_embedding"))
    return encoder_model(c, stack, naming=naming, position=learned(c), projections=tables)


def _megatron(c: Settings, naming: str) -> Architecture:
    """Norms before the residual steps, one after the last layer, none after the embedding."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    stack = column(c, hidden, residual_steps(c, hidden, norm, place="norm"), embedding_norm=None, final_norm=norm)
    return encoder_model(c, stack, naming=naming, position=learned(c))


def _roc_bert(c: Settings, naming: str) -> Architecture:
    """Tables of pronunciations and shapes, concatenated with the words and mapped to the hidden size (`concat_input`)."""
    stack = bert_stack(c)
    hidden = wide = stack.hidden_size
    pieces = []
    for name in ("pronunciation", "shape"):
        width = c.int(f"{name}_embed_dim")
        pieces.append(Projection(name=name, shape=[c.int(f"{name}_vocab_size"), width], multiplies=False, component="token_embedding"))
        wide += width if c.flag(f"enable_{name}") else 0
    if c.flag("concat_input"):
        pieces.append(Projection(name="inputs", shape=[hidden, wide], bias=True))
    tasks = Tasks()
    head = encoder_head(c, tasks, c.int("vocab_size"))
    if head.kind == "pretraining":
        head = head.model_copy(update={"labels": 0})
    return encoder_model(c, stack, tasks, naming=naming, position=learned(c), projections=pieces, head=head)


def _visual_bert(c: Settings, naming: str) -> Architecture:
    """Regions of an image stand beside the words (Li et al. 2019, arXiv 1908.03557): a map, and tables of types and positions for them."""
    stack = bert_stack(c)
    hidden = stack.hidden_size
    if c.flag("bypass_transformer"):
        c.assume("bypass_transformer", True, "the layer for regions that pass the others by is not counted", estimated=True)
    if named_kind(c) in ("question_answering", "multiple_choice", "other"):
        c.assume("architectures", c.raw("architectures", noted=False), "a head over regions that is not described here", estimated=True)
    pieces = [
        Projection(name="image_types", shape=[c.int("type_vocab_size"), hidden], multiplies=False, component="token_embedding"),
        Projection(name="image_positions", shape=[c.int("max_position_embeddings"), hidden], multiplies=False, component="token_embedding"),
        Projection(name="image_map", shape=[hidden, c.int("visual_embedding_dim")], bias=True, stream="image", component="projector"),
    ]
    return encoder_model(c, stack, naming=naming, position=learned(c), projections=pieces)


def _generation(c: Settings, naming: str) -> Architecture:
    """No token types, no transform before the scores (Rothe et al. 2019, arXiv 1907.12461)."""
    tasks = Tasks(pooled=(), default="causal", transform=False)
    return encoder_model(c, bert_stack(c), tasks, naming=naming, position=learned(c), types=0)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES[a.naming or "bert"])
