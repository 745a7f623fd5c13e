"""Gemma 2 (arXiv 2408.00118): a window on every other layer, four norms a layer, capped scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.layers import depth, every, listed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gemma2",)

NAMES = LLAMA.but(
    {
        "attention.norm_after": "post_attention_layernorm",
        "feed_forward.norm": "pre_feedforward_layernorm",
        "feed_forward.norm_after": "post_feedforward_layernorm",
    }
)


def architecture(c: Settings) -> Architecture:
    """The class alternates sliding and full layers where the file has no `layer_types`; table and head are tied by class."""
    hidden, norm, layers = c.int("hidden_size"), rms(c, unit_offset=True), depth(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    window, position = c.optional_int("sliding_window"), rotary(c, width)
    kinds = listed(c, layers) or every(layers, 2, FULL, SLIDING)
    scalar = c.number("query_pre_attn_scalar")
    scale = None if scalar is None or scalar <= 0 else scalar**-0.5
    softcap, biases = c.number("attn_logit_softcapping"), QKVO if c.flag("attention_bias") else []
    blocks = [
        Block(
            name=kind,
            layers=held,
            sublayers=[
                Sublayer(
                    name="attention", norm=norm, norm_after=norm,
                    mixers=[attention(c, hidden, mask=mask_of(c, kind, window), position=position, biases=biases, scale=scale, softcap=softcap)],
                ),
                Sublayer(name="feed_forward", mixers=[gated(c, activation="hidden_activation")], norm=norm, norm_after=norm),
            ],
        )
        for kind, held in kinds.items()
    ]  # fmt: skip
    return causal_model(
        c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm), multiplier=hidden**0.5, softcap=c.number("final_logit_softcapping")
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Gemma 2 checkpoint."""
    return model(a, NAMES)
