"""Time of a kernel: warm-up, rounds that alternate between the variants, median and spread."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROUNDS = 7
"""Samples of each variant, where time allows; never less than three."""
SAMPLE_SECONDS = 0.01
"""A sample repeats a quick kernel until it lasts this long, so that reading the clock counts nothing."""
MOST_CALLS = 2000


@dataclass(slots=True)
class Timed:
    """One variant: `call` runs it once, `samples` are seconds of one call each."""

    call: Callable[[], object]
    calls: int = 1
    samples: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Seconds."""
        return quantile(self.samples, 0.5)

    @property
    def spread(self) -> float:
        """From the 20th to the 80th percentile, as a share of the median."""
        return (quantile(self.samples, 0.8) - quantile(self.samples, 0.2)) / self.median if self.median else 0.0


class Clock:
    """Times calls on one device. `synchronise` waits until the device has done all that it was given; a sample ends with it."""

    def __init__(self, device: torch.device, synchronise: Callable[[], object] | None = None) -> None:
        self.device = device
        self.synchronise: Callable[[], object] = synchronise or waiting(device)

    def sample(self, timed: Timed) -> float:
        """Seconds of one call, as the mean of `calls`: device events where there are some, else the wall clock."""
        if self.device.type == "cuda":
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            self.synchronise()
            start.record()
            for _ in range(timed.calls):
                timed.call()
            end.record()
            end.synchronize()
            return float(start.elapsed_time(end)) / 1000 / timed.calls
        self.synchronise()
        begun = time.perf_counter()
        for _ in range(timed.calls):
            timed.call()
        self.synchronise()
        return (time.perf_counter() - begun) / timed.calls

    def warm(self, timed: Timed) -> float:
        """Run it twice and choose how many calls a sample has. Gives the seconds of a call."""
        timed.calls = 1
        self.sample(timed)
        once = self.sample(timed)
        timed.calls = max(1, min(MOST_CALLS, int(SAMPLE_SECONDS / max(once, 1e-7))))
        return once

    def rounds(self, variants: Sequence[Timed], until: float, rounds: int = ROUNDS) -> int:
        """One sample of each variant a round, so that what disturbs the machine disturbs all alike.

        Stops early at `until` (in `time.monotonic`), but not before three rounds. Gives the number of rounds.
        """
        done = 0
        for _ in range(rounds):
            if done >= 3 and time.monotonic() > until:
                break
            for timed in variants:
                timed.samples.append(self.sample(timed))
            done += 1
        return done


def waiting(device: torch.device) -> Callable[[], object]:
    """What waits for a device; a CPU's operators are done when they return."""
    return (lambda: torch.cuda.synchronize(device)) if device.type == "cuda" else (lambda: None)


def quantile(samples: Sequence[float], at: float) -> float:
    """Linear between the two nearest samples."""
    ordered = sorted(samples)
    place = at * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
