"""GLM-4-0414: GLM with a second norm after each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.blocks import sandwiched
from ._read.decoder import QKV, causal_model, gated, head_dim, quotient, rms
from ._read.dense import causal_stack
from ._read.heads import head_width
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("glm4", "glm4v_text", "glm_ocr_text")

NAMES = LLAMA.but(
    {
        "attention.norm_after": "post_self_attn_layernorm",
        "feed_forward.norm_after": "post_mlp_layernorm",
        "mlp.activation": "mlp.activation_fn",
    }
)


def architecture(c: Settings) -> Architecture:
    """`attention_bias`, on by class, never covers the output projection.

    Inside GLM-4.1V the biases are always there, in GLM-OCR never; there a `head_dim` is not declared, and GLM-4.1V does not read it.
    """
    hidden, norm, kind = c.int("hidden_size"), rms(c), "glm4" if c.table is None else c.table.model_type
    heads = c.int("num_attention_heads")
    if kind == "glm4":
        c.int("num_key_value_heads")
    biases = QKV if kind == "glm4v_text" or (kind == "glm4" and c.flag("attention_bias")) else []
    if kind == "glm4":
        width = head_dim(c, hidden, heads, needed=True)
    else:
        width = quotient(c, hidden, heads) if kind == "glm4v_text" else head_width(c)
    position, forward = (
        rotary(c, width, layout="interleaved", partial=0.5 if kind == "glm4" else None),
        gated(c).model_copy(update={"packing": "gate_up"}),
    )
    stack = causal_stack(c, hidden, forward, norm, width=width, position=position, biases=biases, arrange=sandwiched)
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GLM-4 checkpoint."""
    return model(a, NAMES)
