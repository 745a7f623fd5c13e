"""A feed-forward network: what comes from its first map, its activation, their product."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...architecture.mixers.mlp import MLP

KEPT = {"silu": 2, "swish": 2, "gelu": 2, "gelu_pytorch_tanh": 2, "relu": 1, "gelu_new": 5}
"""Activation -> tensors of intermediate size kept by it and by the map after it: input and output, the output alone, or the steps of a
composed one."""


def alive(spec: MLP, hidden: int) -> int:
    """Gated: the input with gate and up, or activated gate, up and product.

    Plain: the input with up, or up before and after its activation.
    """
    wide = spec.intermediate_size
    return max(hidden + 2 * wide, 3 * wide, wide + hidden) if spec.gated else max(hidden + wide, 2 * wide)


def saved(spec: MLP, hidden: int, width: int) -> int | None:
    """Gated: gate, its activation, up, product. Plain: as `KEPT`. Null for an activation that is not measured, and for an inner norm."""
    if spec.activation not in KEPT or spec.inner_norm is not None:
        return None
    count = KEPT[spec.activation] + 2 if spec.gated else KEPT[spec.activation]
    return width * count * spec.intermediate_size
