"""SmolLM3: Llama with layers that have no positions, windows on those where they are switched on, a tied table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
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

MODEL_TYPES = ("smollm3",)

TURNED, PLAIN = "rotary", "no_positions"


def architecture(c: Settings) -> Architecture:
    """`no_rope_layers` holds 1 for a layer with positions; absent, each `no_rope_layer_interval`-th layer has none."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads")), QKVO if c.flag("attention_bias") else []
    turned, forward, window = rotary(c, width), gated(c, bias=c.flag("mlp_bias")), c.optional_int("sliding_window")
    places = _places(c, layers)
    slides = c.flag("use_sliding_window") and window is not None
    kinds = listed(c, layers, known=(FULL, SLIDING)) or _windowed(places, slides, layers)

    def layer(kind: str, place: str) -> list[Sublayer]:
        position = turned if place == TURNED else None
        return prenorm(attention(c, hidden, mask=mask_of(c, kind, window), position=position, biases=biases, width=width), forward, norm)

    return causal_model(c, decoder_stack(hidden, crossed(kinds, places), layer, norm))


def _places(c: Settings, layers: int) -> dict[str, LayerSet]:
    """The layers with rotary positions and those without. Raises Refused XF114 for a list that is too short."""
    given = c.list("no_rope_layers")
    if given is None:
        return every(layers, c.int("no_rope_layer_interval"), PLAIN, TURNED)
    if len(given) < layers:
        raise c.refuse(
            "no_rope_layers", f"no_rope_layers has {len(given)} entries for {layers} layers", code="XF114", help="1 or 0 a layer"
        )
    return grouped(TURNED if place else PLAIN for place in given[:layers])


def _windowed(places: dict[str, LayerSet], slides: bool, layers: int) -> dict[str, LayerSet]:
    """Windows on the layers without positions, where they are switched on."""
    if not slides:
        return {FULL: LayerSet.first(layers)}
    return {kind: places[place] for place, kind in ((PLAIN, SLIDING), (TURNED, FULL)) if place in places}


def ledger(a: Architecture) -> list[Row]:
    """The rows of a SmolLM3 checkpoint."""
    return model(a, LLAMA)
