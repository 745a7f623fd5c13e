"""Axes of plots: where a value stands, which values are marked, and labels that do not lie on one another."""

from __future__ import annotations

from math import ceil, floor, log
from typing import NamedTuple


class Log(NamedTuple):
    """A logarithmic axis from `low` to `high`, drawn from `start` to `end` pixels."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Pixels of a value above 0."""
        return self.start + (self.end - self.start) * log(value / self.low) / log(self.high / self.low)


def ticks(low: float, high: float, base: int, most: int) -> list[float]:
    """Powers of a base between two values, every second or third one where there are more than `most`."""
    first, last = ceil(log(low, base) - 1e-9), floor(log(high, base) + 1e-9)
    powers = range(first, last + 1)
    step = max(1, -(-len(powers) // most))
    return [float(base**n) for n in powers if (n - first) % step == 0]


def span(values: list[float], base: int) -> tuple[float, float]:
    """The powers of a base around values above 0, at least one apart."""
    low, high = floor(log(min(values), base) + 1e-9), ceil(log(max(values), base) - 1e-9)
    return float(base**low), float(base ** max(high, low + 1))


def spread(wanted: list[float], gap: float, low: float, high: float) -> list[float]:
    """Places near the wanted ones, in their order, at least `gap` apart and between two bounds as far as there is room."""
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    groups: list[list[float]] = []  # each: [first place, number, sum of wanted minus offset]
    for i in order:
        groups.append([wanted[i], 1, wanted[i]])
        while len(groups) > 1 and groups[-2][0] + groups[-2][1] * gap > groups[-1][0]:
            below, above = groups[-2], groups.pop()
            below[2] += above[2] - above[1] * below[1] * gap
            below[1] += above[1]
            below[0] = below[2] / below[1]
    places = [group[0] + n * gap for group in groups for n in range(int(group[1]))]
    places = [max(place, low + n * gap) for n, place in enumerate(places)]
    for n in range(len(places) - 1, -1, -1):
        places[n] = min(places[n], high - (len(places) - 1 - n) * gap)
    out = [0.0] * len(wanted)
    for place, i in zip(places, order, strict=True):
        out[i] = place
    return out


def cut(name: str, most: int = 34) -> str:
    """A name that fits beside a plot: of a longer one the end, which is what paths differ in."""
    return name if len(name) <= most else "…" + name[-(most - 1) :]
