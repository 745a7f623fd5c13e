"""What Kimi Linear and Ling 3 read alike: delta attention between layers of latent attention, experts with shared ones beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack, Sublayer
from .blocks import SPARSE
from .decoder import gated, rms
from .hybrid import LINEAR, two_step
from .moe import routed, shared_experts
from .routers import grouped_sigmoid

if TYPE_CHECKING:
    from ...architecture.layers import LayerSet
    from ...architecture.mixers.kimi_delta import KimiDelta
    from ...architecture.mixers.latent_attention import LatentAttention
    from .settings import Settings


def delta_stack(
    c: Settings, hidden: int, mixing: dict[str, LayerSet], feeding: dict[str, LayerSet], delta: KimiDelta, latent: LatentAttention
) -> Stack:
    """Linear layers with `delta`, the others with `latent`; sparse layers with experts."""
    norm = rms(c)

    def first(kind: str) -> Sublayer:
        return (
            Sublayer(name="kimi_delta", mixers=[delta], norm=norm)
            if kind == LINEAR
            else Sublayer(name="attention", mixers=[latent], norm=norm)
        )

    def second(kind: str) -> Sublayer:
        if kind != SPARSE:
            return Sublayer(name="feed_forward", mixers=[gated(c)], norm=norm)
        count = c.int("n_shared_experts", minimum=0)
        experts = routed(
            c, experts="num_local_experts", width="moe_intermediate_size", router=grouped_sigmoid(c), shared_experts=count,
            shared=shared_experts(c, c.int("moe_intermediate_size") * count),
        )  # fmt: skip
        return Sublayer(name="feed_forward", mixers=[experts], norm=norm)

    return Stack(hidden_size=hidden, blocks=two_step(mixing, first, feeding, second), final_norm=norm)
