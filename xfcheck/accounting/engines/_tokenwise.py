"""Caches that hold just the tokens they keep: no pages, no cells."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ..dtypes import size
from . import Kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..mixers._parts import Held
    from . import Ask


def lay_out(holds: list[list[Held]], ask: Ask, tokens: Callable[[Held, int, int], int]) -> list[list[Kept]]:
    """Each part's tokens as the engine's function counts them, times their width."""
    return [[_kept(held, ask, tokens) for held in each] for each in holds]


def _kept(held: Held, ask: Ask, tokens: Callable[[Held, int, int], int]) -> Kept:
    count = tokens(held, ask.context, ask.source) if held.per_token and (ask.context > held.above or not held.above) else 0
    each = ask.batch * width(held, count, ask.dtype)
    grows = held.per_token > 0 and not held.source and not held.stride and count == ask.context
    slope: Fraction | int = Fraction(each, ask.context) if grows and ask.context else 0
    if held.stride and held.part == "entries" and count:
        slope = Fraction(ask.batch * width(held, 1, ask.dtype), held.stride)
    fixed = held.source or held.stride or not held.per_token
    return Kept(count, each, slope, each if fixed else ask.batch * width(held, max(ask.context, count), ask.dtype))


def width(held: Held, tokens: int, dtype: str) -> int:
    """Bytes one layer keeps of one sequence."""
    return size(held.per_token * tokens + held.constant, "float32" if held.fp32 else dtype)
