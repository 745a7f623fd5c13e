"""Sets of layer indices that cost the same for ten layers as for ten thousand."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

LIMIT = 1_000_000
"""Deepest model described. Published models end at a few hundred layers; a bound keeps a typing error from becoming a hang."""


class LayerSet:
    """An immutable set of layer indices, kept as disjoint ascending ranges.

    Built with `LayerSet.first(n)`, `LayerSet.of(indices)`, `LayerSet.spaced(start, stop, step)` or `LayerSet.parse("0,2-5")`.
    `str(layers)` is the text form, in which runs are joined: `"0,2-5"`.
    """

    __slots__ = ("ranges",)

    def __init__(self, ranges: Iterable[range]) -> None:
        self.ranges: tuple[range, ...] = tuple(r for r in ranges if len(r))

    @classmethod
    def first(cls, count: int) -> LayerSet:
        """Layers 0 to count - 1."""
        return cls((range(count),))

    @classmethod
    def spaced(cls, start: int, stop: int, step: int) -> LayerSet:
        """Every `step`-th layer of start to stop - 1."""
        return cls((range(start, stop, step),))

    @classmethod
    def of(cls, indices: Iterable[int]) -> LayerSet:
        """The set of the indices given, in any order; repeated ones count once."""
        ordered = sorted(set(indices))
        if len(ordered) > 2 and len({b - a for a, b in pairwise(ordered)}) == 1:
            return cls((range(ordered[0], ordered[-1] + 1, ordered[1] - ordered[0]),))
        runs: list[range] = []
        for index in ordered:
            if runs and runs[-1].stop == index:
                runs[-1] = range(runs[-1].start, index + 1)
            else:
                runs.append(range(index, index + 1))
        return cls(runs)

    @classmethod
    def parse(cls, text: str) -> LayerSet:
        """Read the text form. Raises ValueError for anything but indices and `a-b` runs below `LIMIT`."""
        runs: list[range] = []
        for piece in text.split(","):
            first, dash, last = piece.strip().partition("-")
            if not first.isdecimal() or (dash and not last.isdecimal()):
                raise ValueError(f"{piece!r} is no layer index and no run of layers such as 0-11")
            start, stop = int(first), int(last or first) + 1
            if stop <= start or stop > LIMIT:
                raise ValueError(f"{piece!r} runs backwards or past layer {LIMIT - 1}")
            runs.append(range(start, stop))
        runs.sort(key=lambda run: run.start)
        if any(a.stop > b.start for a, b in pairwise(runs)):
            raise ValueError(f"{text!r} names a layer twice")
        return cls(runs)

    @classmethod
    def union(cls, sets: Iterable[LayerSet]) -> LayerSet:
        """The layers of any of the sets."""
        ranges = sorted({r for s in sets for r in s.ranges}, key=lambda r: r.start)
        if len(ranges) == 1:
            return cls(ranges)
        if all(a.step == b.step == 1 and a.stop <= b.start for a, b in pairwise(ranges)):
            return cls(_joined(ranges))
        whole = _interleaved(ranges)
        return cls((whole,)) if whole is not None else cls.of(i for r in ranges for i in r)

    def intersection(self, other: LayerSet) -> LayerSet:
        """The layers of both; one that covers all of the other costs nothing."""
        if (
            len(other.ranges) == 1
            and other.ranges[0].step == 1
            and all(r[0] in other.ranges[0] and r[-1] in other.ranges[0] for r in self.ranges)
        ):
            return self
        return LayerSet.of(index for index in self if index in other)

    def shifted(self, by: int) -> LayerSet:
        """The same layers, each number greater by `by`."""
        return LayerSet(range(r.start + by, r.stop + by, r.step) for r in self.ranges)

    def __len__(self) -> int:
        return sum(map(len, self.ranges))

    def __iter__(self) -> Iterator[int]:
        return (i for r in self.ranges for i in r)

    def __contains__(self, index: object) -> bool:
        return any(index in r for r in self.ranges)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LayerSet) and (self.ranges == other.ranges or (len(self) == len(other) and set(self) == set(other)))

    def __hash__(self) -> int:
        return hash((len(self), min((r[0] for r in self.ranges), default=0), max((r[-1] for r in self.ranges), default=0)))

    def __str__(self) -> str:
        pieces: list[range] = []
        for r in self.ranges:
            pieces.extend([r] if r.step == 1 else [range(i, i + 1) for i in r])
        return ",".join(str(r.start) if len(r) == 1 else f"{r.start}-{r[-1]}" for r in _joined(sorted(pieces, key=lambda r: r.start)))

    def __repr__(self) -> str:
        return f"LayerSet({str(self)!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(
            cls._validate,
            serialization=core_schema.to_string_ser_schema(),
            json_schema_input_schema=core_schema.union_schema(
                [core_schema.str_schema(), core_schema.list_schema(core_schema.int_schema(ge=0))]
            ),
        )

    @classmethod
    def _validate(cls, value: object) -> LayerSet:
        if isinstance(value, LayerSet):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return cls.parse(str(value))
        if isinstance(value, list) and value and all(isinstance(i, int) and not isinstance(i, bool) and 0 <= i < LIMIT for i in value):
            return cls.of(value)
        raise ValueError("layers are text such as '0-11' or '0,2-5', or a list of indices")


def _joined(ranges: list[range]) -> list[range]:
    """Ascending ranges of step 1, neighbours that touch joined."""
    out: list[range] = []
    for r in ranges:
        if out and out[-1].stop == r.start:
            out[-1] = range(out[-1].start, r.stop)
        else:
            out.append(r)
    return out


def _interleaved(ranges: list[range]) -> range | None:
    """One contiguous range where the ranges are its residue classes of one step, else None."""
    step = ranges[0].step
    starts, lasts = [r.start for r in ranges], sorted(r[-1] for r in ranges)
    same = all(r.step == step for r in ranges) and len(ranges) == step
    if same and starts == list(range(starts[0], starts[0] + step)) and lasts == list(range(lasts[0], lasts[0] + step)):
        return range(starts[0], lasts[-1] + 1)
    return None
