"""VaultGemma: Gemma 2 with the norms before each step alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.dense import by_kind
from ._read.layers import depth, every, listed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("vaultgemma",)

NAMES = LLAMA.but({"feed_forward.norm": "pre_feedforward_layernorm"})


def architecture(c: Settings) -> Architecture:
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
        return prenorm(mixer, forward, norm)

    return causal_model(c, by_kind(hidden, kinds, layer, norm), multiplier=hidden**0.5, softcap=c.number("final_logit_softcapping"))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a VaultGemma checkpoint."""
    return model(a, NAMES)
