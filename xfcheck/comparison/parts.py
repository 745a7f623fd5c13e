"""Walking and changing the parts of an architecture: the layers over tokens, not the towers over images and sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..architecture.layers import LayerSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..architecture.blocks import Block, Stack
    from ..architecture.model import Architecture
    from ..architecture.part import Mixer

STREAMS = ("text", "encoder", "decoder")
ATTENTION = ("attention", "cross_attention")
"""Kinds of attention that the architecture can be edited in; others have weights that hang on their heads in ways of their own."""


class Place(NamedTuple):
    """A mixer, typed as anything because only its kind says which fields it has, and where it stands."""

    spec: Any
    stack: Stack
    block: Block


def stacks(a: Architecture) -> list[Stack]:
    """The stacks over tokens."""
    return [s for s in a.stacks if s.stream in STREAMS]


def places(a: Architecture) -> Iterator[Place]:
    """Every mixer of the stacks over tokens."""
    for stack in stacks(a):
        for block in stack.blocks:
            for sublayer in block.sublayers:
                for mixer in sublayer.mixers:
                    yield Place(mixer, stack, block)


def attentions(a: Architecture) -> list[Any]:
    """Every softmax attention with key-value heads, whatever else it has."""
    from ..architecture.mixers.attention import Attention

    return [p.spec for p in places(a) if isinstance(p.spec, Attention)]


def of_kind(a: Architecture, *kinds: str) -> list[Any]:
    """Every mixer of these kinds."""
    return [p.spec for p in places(a) if p.spec.kind in kinds]


def changed(a: Architecture, change: Callable[[Any], Mixer]) -> Architecture:
    """The architecture with every mixer of the stacks over tokens replaced by what `change` gives for it."""
    return _restacked(a, lambda stack: stack.model_copy(update={"blocks": [_block(block, change) for block in stack.blocks]}))


def rewidened(a: Architecture, hidden: int) -> Architecture:
    """The same with another width of the residual stream."""
    return _restacked(a, lambda stack: stack.model_copy(update={"hidden_size": hidden}))


def redeepened(a: Architecture, depth: int) -> Architecture | None:
    """The same with another number of layers, whose kinds go on as they did; null where blocks apply several times, or no pattern shows."""
    out = []
    for stack in a.stacks:
        if stack.stream not in STREAMS:
            out.append(stack)
            continue
        kinds = {index: number for number, block in enumerate(stack.blocks) for index in block.layers}
        order = resized([kinds[i] for i in sorted(kinds)], depth)
        if order is None or any(block.uses != 1 for block in stack.blocks):
            return None
        held = [LayerSet.of(i for i, number in enumerate(order) if number == n) for n in range(len(stack.blocks))]
        kept = [block.model_copy(update={"layers": layers}) for block, layers in zip(stack.blocks, held, strict=True) if len(layers)]
        out.append(stack.model_copy(update={"blocks": kept}))
    return a.model_copy(update={"stacks": out})


def resized(values: Sequence[Any], length: int) -> list[Any] | None:
    """A list with an entry a layer for another depth: cut, or gone on with as it ended, with the shortest period that held twice or more.

    Null where it is to grow and no period shows.
    """
    if length <= len(values):
        return list(values[:length])
    n = len(values)
    for first in range(n):
        for period in range(1, (n - first) // 2 + 1):
            if all(values[i] == values[i + period] for i in range(first, n - period)):
                return [*values, *(values[first + (i - first) % period] for i in range(n, length))]
    return [values[0]] * length if n == 1 else None


def _restacked(a: Architecture, change: Callable[[Stack], Stack]) -> Architecture:
    return a.model_copy(update={"stacks": [change(s) if s.stream in STREAMS else s for s in a.stacks]})


def _block(block: Block, change: Callable[[Any], Mixer]) -> Block:
    steps = [step.model_copy(update={"mixers": [change(mixer) for mixer in step.mixers]}) for step in block.sublayers]
    return block.model_copy(update={"sublayers": steps})
