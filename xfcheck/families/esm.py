"""ESM-1b and ESM-2 (Rives et al. 2021, Lin et al. 2023): pre-norm encoders of proteins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._read.decoder import layer_norm, quotient
from ._read.encoder import ROBERTA_TASKS, column, encoder_head, encoder_model, learned, pad_offset, residual_steps, self_attention
from ._read.rotary import rotary
from ._rows.encoder_names import DENSE, LM_HEAD, bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("esm",)

NAMES = bert_names(
    "esm",
    DENSE,
    {
        "embedding_norm": "esm.embeddings.layer_norm",
        "attention.norm": "attention.LayerNorm",
        "cross_attention.norm": "crossattention.LayerNorm",
        "feed_forward.norm": "LayerNorm",
        "final_norm": "esm.encoder.emb_layer_norm_after",
        "contacts": "esm.contact_head.regression",
        "scores_bias": "lm_head.bias!",
    },
    head={key: name for key, name in LM_HEAD.items() if key != "head_bias"},
)


def architecture(c: Settings) -> Architecture:
    """Positions learned (numbered from the padding id + 1) or rotary; a regression on all attention maps predicts contacts."""
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c), c.int("num_attention_heads")
    turns = c.text("position_embedding_type") == "rotary"
    position = rotary(c, quotient(c, hidden, heads)) if turns else None
    if c.flag("is_decoder"):
        c.assume("is_decoder", True, "this class masks the future and keeps no cache; counted with one", estimated=True)
    mixer = self_attention(c, hidden, causal=c.flag("is_decoder"), position=position)
    steps = residual_steps(c, hidden, norm, place="norm", mixer=mixer)
    stack = column(c, hidden, steps, embedding_norm=norm if c.flag("emb_layer_norm_before") else None, final_norm=norm)
    contacts = Projection(name="contacts", shape=[1, heads * stack.depth], multiplies=False, bias=True)
    rows = c.int("vocab_size")
    head = encoder_head(c, ROBERTA_TASKS, rows)
    pieces = [contacts]
    if head.rows:
        head = head.model_copy(update={"bias": False})
        pieces.append(Projection(name="scores_bias", shape=[rows], multiplies=False, component="head"))
    table = learned(c, offset=pad_offset(c)) if c.text("position_embedding_type") == "absolute" else None
    return encoder_model(c, stack, ROBERTA_TASKS, position=table, types=0, projections=pieces, head=head)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an ESM checkpoint: the norms inside layers are saved under their first names, gamma and beta."""
    rows = []
    for row in model(a, NAMES):
        if row.role.component == "norm" and row.layers is not None:
            stem, bias = row.name.rpartition(".")[0], row.role.part.endswith("_bias")
            rows.append(row._replace(name=f"{stem}.{'beta' if bias else 'gamma'}", module=row.name))
        else:
            rows.append(row)
    return rows
