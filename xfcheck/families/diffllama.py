"""DiffLlama: differential attention (arXiv 2410.05258), two score matrices whose difference weighs the values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Sublayer
from ..architecture.masks import CAUSAL
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, kv_heads, rms
from ._read.dense import alike
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("diffllama",)

LAMBDAS = ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2")
"""Vectors of head_dim whose products weigh the second score matrix."""

NAMES = LLAMA.but({f"attention.{name}": f"self_attn.{name}!" for name in LAMBDAS})


def architecture(c: Settings) -> Architecture:
    """Both halves run over all heads: scores and weighted values count twice. Raises Refused XF118 for odd key-value heads."""
    hidden, norm, heads = c.int("hidden_size"), rms(c), c.int("num_attention_heads")
    width, biases = head_dim(c, hidden, heads), QKVO if c.flag("attention_bias") else []
    if kv_heads(c, heads) % 2:
        raise c.refuse(
            "num_key_value_heads", f"{kv_heads(c, heads)} key-value heads cannot be split in two", code="XF118", help="an even number"
        )
    position, forward = rotary(c, width), gated(c)
    trained = [Projection(name=name, shape=[width], multiplies=False, component="attention") for name in LAMBDAS]

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = attention(c, hidden, mask=CAUSAL, position=position, biases=biases, width=width, kept_tokens=kept).model_copy(
            update={"passes": 2}
        )
        first, second = prenorm(mixer, forward, norm)
        return [first.model_copy(update={"projections": trained}), second]

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a DiffLlama checkpoint."""
    return model(a, NAMES)
