"""Qwen1.5-MoE and Qwen2 mixtures of experts (arXiv 2407.10671): a shared expert behind a gate of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.mixers.moe import Router
from ._read.blocks import DENSE, decoder_stack, prenorm
from ._read.decoder import QKV, attention, causal_model, gated, rms
from ._read.heads import head_width
from ._read.layers import crossed, depth, every, listed
from ._read.moe import routed, shared_experts
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA
from .qwen3_moe import sparse

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen2_moe",)

NAMES = LLAMA.but(
    {
        "moe.shared.gate": "mlp.shared_expert.gate_proj",
        "moe.shared.up": "mlp.shared_expert.up_proj",
        "moe.shared.down": "mlp.shared_expert.down_proj",
    }
)


def architecture(c: Settings) -> Architecture:
    """`qkv_bias` is on query, key and value.

    Without `use_sliding_window` the window is 0, with it every second layer below `max_window_layers` slides.
    """
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    c.int("num_key_value_heads")  # null is no stand-in for the query heads in this class
    slides = c.flag("use_sliding_window")
    window, position = c.optional_int("sliding_window") if slides else 0, rotary(c, width)
    biases = QKV if c.flag("qkv_bias") else []

    def sublayers(kind: str, feed: str) -> list[Sublayer]:
        heads = attention(c, hidden, mask=mask_of(c, kind, window), width=width, position=position, biases=biases)
        if feed == DENSE:
            return prenorm(heads, gated(c), norm)
        experts = routed(
            c, experts="num_experts", width="moe_intermediate_size", router=Router(normalise=c.flag("norm_topk_prob")),
            shared=shared_experts(c, c.int("shared_expert_intermediate_size", minimum=0)), shared_experts=1, shared_gate=True,
        )  # fmt: skip
        return prenorm(heads, experts, norm)

    placed = crossed(listed(c, layers) or sliding(c, layers, slides), sparse(c, layers))
    return causal_model(c, decoder_stack(hidden, placed, sublayers, norm))


def sliding(c: Settings, layers: int, slides: bool) -> dict[str, LayerSet]:
    """Even layers below `max_window_layers` slide, where the switch is on."""
    if not slides:
        return {FULL: LayerSet.first(layers)}
    below = min(c.int("max_window_layers", minimum=0), layers)
    kinds = every(below, 2, FULL, SLIDING) if below else {}
    full = LayerSet((*kinds.get(FULL, LayerSet(())).ranges, range(below, layers)))
    return {kind: of for kind, of in ((SLIDING, kinds.get(SLIDING, LayerSet(()))), (FULL, full)) if len(of)}


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Qwen2-MoE checkpoint."""
    return model(a, NAMES)
