"""A feed-forward network: what comes from its first map, its activation, their product."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...architecture.mixers.mlp import MLP


def alive(spec: MLP, hidden: int) -> int:
    """Gated: the input with gate and up, or activated gate, up and product.

    Plain: the input with up, or up before and after its activation.
    """
    wide = spec.intermediate_size
    return max(hidden + 2 * wide, 3 * wide, wide + hidden) if spec.gated else max(hidden + wide, 2 * wide)
