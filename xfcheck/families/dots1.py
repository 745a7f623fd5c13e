"""dots.llm1 (arXiv 2506.05767): DeepSeek-V3's experts under grouped-query attention with norms on query and key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.norm import Norm
from ._read.blocks import DENSE, decoder_stack, dense_first, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, rms
from ._read.heads import head_width
from ._read.layers import crossed, depth, listed
from ._read.moe import routed, shared_experts
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

MODEL_TYPES = ("dots1",)


def architecture(c: Settings) -> Architecture:
    """Layers from `max_window_layers` slide unless `layer_types` says otherwise; the numbers of experts have no class default."""
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    window = c.optional_int("sliding_window")
    head_norm, position = Norm(eps=norm.eps, size=width), rotary(c, width)
    biases = QKVO if c.flag("attention_bias") else []
    count = c.int("n_shared_experts", minimum=0)

    def sublayers(kind: str, feed: str) -> list[Sublayer]:
        heads = attention(
            c,
            hidden,
            mask=mask_of(c, kind, window),
            width=width,
            position=position,
            biases=biases,
            query_norm=head_norm,
            key_norm=head_norm,
        )
        if feed == DENSE:
            return prenorm(heads, gated(c), norm)
        experts = routed(
            c, experts="n_routed_experts", width="moe_intermediate_size", router=grouped_sigmoid(c),
            shared=shared_experts(c, c.int("moe_intermediate_size") * count), shared_experts=count,
        )  # fmt: skip
        return prenorm(heads, experts, norm)

    parts = crossed(sliding(c, layers, window), dense_first(c.int("first_k_dense_replace", minimum=0), layers))
    return causal_model(c, decoder_stack(hidden, parts, sublayers, norm))


def sliding(c: Settings, layers: int, window: int | None) -> dict[str, LayerSet]:
    """Full layers below `max_window_layers` and sliding ones from there on, all full without a window."""
    kinds = listed(c, layers)
    if kinds is not None:
        return kinds
    first = layers if window is None else min(c.int("max_window_layers", minimum=0), layers)
    held = {FULL: LayerSet((range(first),)), SLIDING: LayerSet((range(first, layers),))}
    return {kind: of for kind, of in held.items() if len(of)}


def ledger(a: Architecture) -> list[Row]:
    """The rows of a dots.llm1 checkpoint."""
    return model(a, LLAMA)
