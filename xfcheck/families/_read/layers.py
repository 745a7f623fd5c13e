"""Which layers are of which kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ...architecture.layers import LIMIT, LayerSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .settings import Settings

First = TypeVar("First")
Second = TypeVar("Second")

RENAMED = {
    "mamba": "linear_attention",
    "attention": "full_attention",
    "deepseek_sparse_attention": "indexed_attention",
    "qwen_sparse_attention": "indexed_attention",
}
"""Older names in `layer_types`, which transformers 5.24 maps on load."""


def depth(c: Settings, key: str = "num_hidden_layers") -> int:
    """The number of layers."""
    return c.int(key, maximum=LIMIT)


def grouped(kinds: Iterable[str]) -> dict[str, LayerSet]:
    """A list of kinds, one a layer -> kind -> its layers, in order of first appearance."""
    held: dict[str, list[int]] = {}
    for index, kind in enumerate(kinds):
        held.setdefault(kind, []).append(index)
    return {kind: LayerSet.of(indices) for kind, indices in held.items()}


def listed(c: Settings, layers: int, key: str = "layer_types", known: Iterable[str] = ()) -> dict[str, LayerSet] | None:
    """The layers by the file's own list, null where it has none.

    A longer list's tail is left out (drafts); a shorter one is refused (XF114).
    """
    kinds = c.list(key)
    if not kinds:
        return None
    if len(kinds) < layers:
        raise c.refuse(key, f"{key} has {len(kinds)} entries for {layers} layers", code="XF114", help=f"one entry a layer: {layers}")
    names = []
    for kind in kinds[:layers]:
        if not isinstance(kind, str) or (known and RENAMED.get(kind, kind) not in known):
            raise c.refuse(
                key, f"{key} holds {kind!r}", code="XF114", help=f"one of {', '.join(known)}" if known else "names of layer kinds"
            )
        names.append(RENAMED.get(kind, kind))
    return grouped(names)


def every(layers: int, period: int, special: str, other: str, *, offset: int | None = None) -> dict[str, LayerSet]:
    """Each `period`-th layer is `special` (the last of its period, or the one at `offset`), the rest `other`."""
    first = period - 1 if offset is None else offset
    marked = LayerSet.spaced(first, layers, period)
    if period == 1:
        return {special: LayerSet.first(layers)} if first == 0 else {other: LayerSet.first(layers)}
    if period == 2 and first < 2:
        rest = LayerSet.spaced(1 - first, layers, 2)
    elif layers <= 4096:
        rest = LayerSet.of(i for i in range(layers) if i not in marked)
    else:
        rest = LayerSet(range(start, layers, period) for start in range(period) if start != first % period)
    return {kind: held for kind, held in ((special, marked), (other, rest)) if len(held)}


def crossed(first: Mapping[First, LayerSet], second: Mapping[Second, LayerSet]) -> dict[tuple[First, Second], LayerSet]:
    """The layers of each pair of kinds of two partitions (attention kind and feed-forward kind, say), empty pairs left out."""
    if len(first) == 1:
        return {(next(iter(first)), kind): held for kind, held in second.items()}
    if len(second) == 1:
        return {(kind, next(iter(second))): held for kind, held in first.items()}
    out = {}
    for a, left in first.items():
        members = set(left)
        for b, right in second.items():
            both = [i for i in right if i in members]
            if both:
                out[a, b] = LayerSet.of(both)
    return dict(sorted(out.items(), key=lambda item: item[1].ranges[0].start))
