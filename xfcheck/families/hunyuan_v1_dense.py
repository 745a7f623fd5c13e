"""Hunyuan, dense: Llama with norms on each query and key head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.dense import alike
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("hunyuan_v1_dense",)

NAMES = LLAMA.but({"attention.query_norm": "self_attn.query_layernorm", "attention.key_norm": "self_attn.key_layernorm"})


def architecture(c: Settings) -> Architecture:
    """The class does not derive head_dim: null does not build (XF101)."""
    hidden, norm = c.int("hidden_size"), rms(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads"), needed=True), QKVO if c.flag("attention_bias") else []
    position, forward, head_norm = rotary(c, width), gated(c), Norm(eps=norm.eps, size=width)

    def layer(kept: int | None) -> list[Sublayer]:
        heads = attention(
            c,
            hidden,
            mask=CAUSAL,
            position=position,
            biases=biases,
            width=width,
            query_norm=head_norm,
            key_norm=head_norm,
            kept_tokens=kept,
        )
        return prenorm(heads, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Hunyuan checkpoint."""
    return model(a, NAMES)
