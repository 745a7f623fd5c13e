"""Granite with windows and attention sinks on its layers, and a rotary base a layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.dense import scaled
from ._read.layers import crossed, depth, every, grouped, listed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("granite_swa",)


def architecture(c: Settings) -> Architecture:
    """Every fourth layer, from the first, sees everything where `layer_types` is absent; `layer_rope_theta` 0 means no positions."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads")), QKVO if c.flag("attention_bias") else []
    window, forward, scale = c.optional_int("sliding_window"), gated(c, bias=c.flag("mlp_bias")), c.number("attention_multiplier")
    kinds = listed(c, layers, known=(FULL, SLIDING)) or every(layers, 4, FULL, SLIDING, offset=0)
    turned, bases = rotary(c, width), _bases(c, layers)

    def layer(kind: str, base: str) -> list[Sublayer]:
        position = None if base == "none" else turned if base == "all" else turned.model_copy(update={"theta": float(base)})
        heads = attention(c, hidden, mask=mask_of(c, kind, window), position=position, biases=biases, width=width, scale=scale)
        return scaled(prenorm(heads.model_copy(update={"sinks": True}), forward, norm), c.number("residual_multiplier"))

    stack = decoder_stack(hidden, crossed(kinds, bases), layer, norm)
    scaling = c.number("logits_scaling") or 1.0
    return causal_model(c, stack, multiplier=c.number("embedding_multiplier") or 1.0, head_multiplier=1 / scaling)


def _bases(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Rotary base -> its layers: one for all, or one a layer. Raises Refused XF114 for a list that is too short or holds no numbers."""
    given = c.list("layer_rope_theta")
    if given is None:
        return {"all": LayerSet.first(layers)}
    if len(given) < layers or any(isinstance(base, bool) or not isinstance(base, int | float) for base in given):
        raise c.refuse(
            "layer_rope_theta",
            f"layer_rope_theta has {len(given)} entries for {layers} layers",
            code="XF114",
            help="a number a layer, 0 for none",
        )
    return grouped(str(base) if base else "none" for base in given[:layers])


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Granite with windows checkpoint."""
    return model(a, LLAMA)
