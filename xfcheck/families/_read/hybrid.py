"""Layers of two residual steps, where the first differs by one partition of the layers and the second by another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block
from ...architecture.layers import LayerSet
from .layers import crossed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...architecture.blocks import Sublayer

FULL, LINEAR, CONV = "full_attention", "linear_attention", "conv"
"""Kinds of layers as `layer_types` names them."""


def marked(layers: int, indices: Iterable[object], special: str, other: str) -> dict[str, LayerSet]:
    """The layers at the indices are `special`, the rest `other`; what is no index of a layer is passed over, an empty kind left out."""
    chosen = {i for i in indices if isinstance(i, int) and 0 <= i < layers}
    split = {special: LayerSet.of(chosen), other: LayerSet.of(i for i in range(layers) if i not in chosen)}
    return {kind: held for kind, held in split.items() if len(held)}


def two_step(
    mixing: dict[str, LayerSet], first: Callable[[str], Sublayer], feeding: dict[str, LayerSet], second: Callable[[str], Sublayer]
) -> list[Block]:
    """One block for each pair of kinds that some layer has: `first` gives the step over tokens, `second` the one over channels."""
    firsts, seconds = {kind: first(kind) for kind in mixing}, {kind: second(kind) for kind in feeding}
    return [
        Block(name=f"{mixer}_{feed}", layers=held, sublayers=[firsts[mixer], seconds[feed]])
        for (mixer, feed), held in crossed(mixing, feeding).items()
    ]
