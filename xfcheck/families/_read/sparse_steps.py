"""Experts in every so many layers, but in those that a list names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.layers import LayerSet
from .blocks import DENSE, SPARSE
from .layers import every

if TYPE_CHECKING:
    from .settings import Settings


def sparse_steps(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Experts where `(i + 1) % decoder_sparse_step == 0` and `mlp_only_layers` does not name the layer; none where `num_experts` is 0."""
    if not c.int("num_experts", minimum=0):
        return {DENSE: LayerSet.first(layers)}
    kinds = every(layers, c.int("decoder_sparse_step"), SPARSE, DENSE)
    dense = {i for i in c.list("mlp_only_layers") or [] if isinstance(i, int)}
    if not dense:
        return kinds
    held = [i for i in kinds.get(SPARSE, LayerSet(())) if i not in dense]
    taken = set(held)
    split = {SPARSE: LayerSet.of(held), DENSE: LayerSet.of(i for i in range(layers) if i not in taken)}
    return {kind: of for kind, of in split.items() if len(of)}
