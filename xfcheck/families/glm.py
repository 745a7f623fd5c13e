"""GLM-4-9B (arXiv 2406.12793): biases on query, key and value, gate and up as one matrix, half of each head turned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.decoder import QKV, causal_model, gated, head_dim, rms
from ._read.dense import causal_stack
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("glm",)

NAMES = LLAMA.but({"mlp.activation": "mlp.activation_fn"})


def architecture(c: Settings) -> Architecture:
    """`attention_bias`, on by class, never covers the output projection."""
    hidden, norm = c.int("hidden_size"), rms(c)
    c.int("num_key_value_heads")
    width, biases = head_dim(c, hidden, c.int("num_attention_heads"), needed=True), QKV if c.flag("attention_bias") else []
    position, forward = rotary(c, width, layout="interleaved", partial=0.5), gated(c).model_copy(update={"packing": "gate_up"})
    stack = causal_stack(c, hidden, forward, norm, width=width, position=position, biases=biases)
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GLM checkpoint."""
    return model(a, NAMES)
