"""Gemma 2 (arXiv 2408.00118): a window on every other layer, four norms a layer, capped scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.blocks import sandwiched
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.dense import by_kind
from ._read.layers import depth, every, listed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..architecture.norm import Norm
    from ..architecture.part import Mixer
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
    """Norms before and after each step."""
    return alternating(c, sandwiched)


def alternating(c: Settings, arrange: Callable[[Mixer, Mixer, Norm], list[Sublayer]]) -> Architecture:
    """The class alternates sliding and full layers where the file has no `layer_types`; table and head are tied by class."""
    hidden, norm, layers = c.int("hidden_size"), rms(c, unit_offset=True), depth(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads"), needed=True), QKVO if c.flag("attention_bias") else []
    window, position, forward = c.optional_int("sliding_window"), rotary(c, width), gated(c, activation="hidden_activation")
    kinds = listed(c, layers, known=(FULL, SLIDING)) or every(layers, 2, FULL, SLIDING)
    scalar, softcap = c.number("query_pre_attn_scalar"), c.number("attn_logit_softcapping")
    scale = None if scalar is None or scalar <= 0 else scalar**-0.5

    def layer(kind: str) -> list[Sublayer]:
        mixer = attention(
            c, hidden, mask=mask_of(c, kind, window), position=position, biases=biases, width=width, scale=scale, softcap=softcap
        )
        return arrange(mixer, forward, norm)

    return causal_model(c, by_kind(hidden, kinds, layer, norm), multiplier=hidden**0.5, softcap=c.number("final_logit_softcapping"))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Gemma 2 checkpoint."""
    return model(a, NAMES)
