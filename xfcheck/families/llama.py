"""Llama and the types that share its skeleton (Touvron et al. 2023, arXiv 2302.13971)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.layers import depth
from ._read.rotary import rotary
from ._read.undeclared import cache_window
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("llama",)


def architecture(c: Settings) -> Architecture:
    """Pre-norm, grouped-query attention, gated MLP; `attention_bias` covers all four projections."""
    hidden, norm = c.int("hidden_size"), rms(c)
    heads = attention(
        c, hidden, mask=CAUSAL, position=rotary(c, head_dim(c, hidden, c.int("num_attention_heads"))), biases=QKVO if c.flag("attention_bias") else [],
        kept_tokens=cache_window(c),
    )  # fmt: skip
    block = Block(
        name="decoder",
        layers=LayerSet.first(depth(c)),
        sublayers=[
            Sublayer(name="attention", mixers=[heads], norm=norm),
            Sublayer(name="feed_forward", mixers=[gated(c, bias=c.flag("mlp_bias"))], norm=norm),
        ],
    )
    return causal_model(c, Stack(hidden_size=hidden, blocks=[block], final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Llama checkpoint."""
    return model(a, LLAMA)
