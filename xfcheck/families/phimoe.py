"""Phi-3.5-MoE: layer norms with biases, two experts of sixteen, one mask for all layers, a head that may have a bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.moe import Router
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, layer_norm
from ._read.heads import head_width
from ._read.layers import depth
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.undeclared import cached
from ._rows.model import model
from .mixtral import NAMES as MIXTRAL

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("phimoe",)

NAMES = MIXTRAL.but({}, {"moe.router": "mlp.router"})


def architecture(c: Settings) -> Architecture:
    """`sliding_window` windows every layer; the epsilon of the layer norms is `rms_norm_eps`.

    Two experts serve a token whatever `num_experts_per_tok` says: the router picks one, then another (sparsemixer, modeling_phimoe.py of
    transformers 5.24).
    """
    hidden, norm, width = c.int("hidden_size"), layer_norm(c, "rms_norm_eps"), head_width(c)
    window, position = c.optional_int("sliding_window"), rotary(c, width)
    mask, biases = CAUSAL if window is None else Mask(kind="sliding", window=window), QKVO if c.flag("attention_bias") else []
    experts = routed(c, experts="num_local_experts", width="intermediate_size", router=Router()).model_copy(update={"experts_per_token": 2})

    def sublayers(kept: int | None) -> list[Sublayer]:
        return prenorm(attention(c, hidden, mask=mask, width=width, position=position, biases=biases, kept_tokens=kept), experts, norm)

    stack = decoder_stack(hidden, {(kept,): held for kept, held in cached(c, depth(c)).items()}, sublayers, norm)
    return causal_model(c, stack, head_bias=c.flag("lm_head_bias"))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Phi-3.5-MoE checkpoint: Mixtral's names."""
    return model(a, NAMES)
