"""MPNet (Song et al. 2020, arXiv 2004.09297): RoBERTa with one relative bias that all layers add to their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.positions.biases import RelativeBias
from ._read.decoder import layer_norm
from ._read.encoder import ROBERTA_TASKS, column, encoder_model, learned, residual_steps, self_attention
from ._rows.encoder_names import DENSE, LM_HEAD, bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mpnet",)

NAMES = bert_names(
    "mpnet",
    DENSE,
    {
        "attention.query": "attention.attn.q",
        "attention.key": "attention.attn.k",
        "attention.value": "attention.attn.v",
        "attention.output": "attention.attn.o",
        "attention.norm_residual": "attention.LayerNorm",
        "relative_bias": "mpnet.encoder.relative_attention_bias",
    },
    head=LM_HEAD,
)


def architecture(c: Settings) -> Architecture:
    """No token types; the table of the bias belongs to the encoder, not to a layer."""
    hidden, norm, buckets = c.int("hidden_size"), layer_norm(c), c.int("relative_attention_num_buckets")
    bias = RelativeBias(buckets=buckets, max_distance=128, table=False)
    attention = self_attention(c, hidden, causal=False, position=bias)
    stack = column(c, hidden, residual_steps(c, hidden, norm, mixer=attention, cross=False), embedding_norm=norm)
    shape = [buckets, attention.query_heads]
    table = Projection(name="relative_bias", shape=shape, multiplies=False, component="position_embedding")
    stack = stack.model_copy(update={"projections": [table]})
    return encoder_model(c, stack, ROBERTA_TASKS, position=learned(c, offset=2), types=0)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an MPNet checkpoint."""
    return model(a, NAMES)
