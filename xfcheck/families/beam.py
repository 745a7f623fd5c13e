"""Beam: four norms a layer, gated attention with a gate bias a head, grouped sigmoid routing, no shared experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.layers import LayerSet
from ..architecture.norm import Norm
from ._read.blocks import DENSE, decoder_stack, dense_first, feeds, sandwiched
from ._read.decoder import QKVO, attention, causal_model, gated, rms
from ._read.heads import head_width
from ._read.layers import crossed, depth, every, listed
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.routers import grouped_sigmoid
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("beam",)

NAMES = LLAMA.but(
    {
        "attention.gate": "self_attn.gate_proj",
        "attention.gate_bias": "self_attn.gate_bias!",
        "attention.norm_after": "post_attention_layernorm",
        "feed_forward.norm": "pre_feedforward_layernorm",
        "feed_forward.norm_after": "post_feedforward_layernorm",
    }
)


def architecture(c: Settings) -> Architecture:
    """Every sixth layer and the last one are full, without rotary positions; the first three layers are dense."""
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    window, head_norm = c.optional_int("sliding_window"), Norm(eps=norm.eps, size=width)
    biases = QKVO if c.flag("attention_bias") else []
    bias = Projection(name="gate_bias", shape=[c.int("num_attention_heads")], multiplies=False, component="attention")

    def sublayers(kind: str, feed: str) -> list[Sublayer]:
        heads = attention(
            c, hidden, mask=mask_of(c, kind, window), width=width, position=rotary(c, width,
            layer_type=kind) if kind == SLIDING else None, biases=biases,
            query_norm=head_norm, key_norm=head_norm,
        ).model_copy(update={"gate": "elementwise"})  # fmt: skip
        experts = routed(c, experts="num_experts", width="moe_intermediate_size", router=grouped_sigmoid(c))
        first, second = sandwiched(heads, gated(c) if feed == DENSE else experts, norm)
        return [first.model_copy(update={"projections": [bias]}), second]

    kinds = listed(c, layers) or with_last_full(layers)
    placed = crossed(kinds, feeds(c, layers, dense_first(3, layers)))
    return causal_model(c, decoder_stack(hidden, placed, sublayers, norm), softcap=c.number("final_logit_softcapping"))


def with_last_full(layers: int) -> dict[str, LayerSet]:
    """The last of every six layers full, and the very last one, whatever its number."""
    kinds = every(layers, 6, FULL, SLIDING)
    last = layers - 1
    if last < 0 or last in kinds.get(FULL, LayerSet(())):
        return kinds
    slide = kinds[SLIDING]
    held = {
        FULL: LayerSet((*kinds.get(FULL, LayerSet(())).ranges, range(last, layers))),
        SLIDING: LayerSet(_without(r, last) for r in slide.ranges),
    }
    return {kind: of for kind, of in held.items() if len(of)}


def _without(layers: range, last: int) -> range:
    """The range without its last index, where that is the one given."""
    return layers[:-1] if len(layers) and layers[-1] == last else layers


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Beam checkpoint."""
    return model(a, NAMES)
