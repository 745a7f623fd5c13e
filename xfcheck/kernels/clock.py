"""Time of a kernel: warm-up, rounds that alternate between the variants, median and spread."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .gpu import Gpu

ROUNDS = 7
"""Samples of each variant, where time allows; never less than three."""
SAMPLE_SECONDS = 0.01
"""A sample repeats a quick kernel until it lasts this long, so that reading the clock counts nothing."""
LONGEST_SAMPLE = 5 * SAMPLE_SECONDS
"""A sample by the wall clock begins no call after that: the machine may have become slower since the calls were counted."""
MOST_CALLS = 2000
FLUSHED_CALLS = 50
SMALL = 200e-6
"""Seconds of a kernel on a GPU under which launching it may take longer than running it: such ones are replayed from a graph."""
WALL, EVENTS, GRAPH = "wall clock", "device events", "graph replay"


@dataclass(slots=True)
class Timed:
    """One variant: `call` runs it once, `samples` are seconds of one call each.

    `flushed`: the cache is flushed before each call. `capturable`: whether it may be replayed from a graph, with `fewest` calls in it at
    least (as many as there are sets of inputs). `timer` says how it was timed, `not_captured` why a small kernel was not replayed.
    """

    call: Callable[[], object]
    calls: int = 1
    samples: list[float] = field(default_factory=list)
    flushed: bool = False
    capturable: bool = False
    fewest: int = 1
    timer: str = WALL
    replay: Callable[[], object] | None = None
    not_captured: str | None = None

    @property
    def median(self) -> float:
        """Seconds."""
        return quantile(self.samples, 0.5)

    @property
    def spread(self) -> float:
        """From the 20th to the 80th percentile, as a share of the median."""
        return (quantile(self.samples, 0.8) - quantile(self.samples, 0.2)) / self.median if self.median else 0.0


class Clock:
    """Times calls on one device: by its own events and graphs where it is a GPU, else by the wall clock.

    `synchronise` waits until the device has done all that it was given; a sample by the wall clock ends with it.
    """

    def __init__(self, gpu: Gpu | None = None, synchronise: Callable[[], object] | None = None) -> None:
        self.gpu = gpu
        self.synchronise: Callable[[], object] = synchronise or (gpu.synchronise if gpu is not None else lambda: None)

    def sample(self, timed: Timed) -> float:
        """Seconds of one call, as the mean of `calls`."""
        if self.gpu is None:
            return self._by_wall(timed)
        if timed.flushed:
            return self._one_by_one(self.gpu, timed)
        return self._between(self.gpu, timed.replay or (lambda: [timed.call() for _ in range(timed.calls)])) / timed.calls

    def _by_wall(self, timed: Timed) -> float:
        self.synchronise()
        begun, done = time.perf_counter(), 0
        while done < timed.calls:
            timed.call()
            done += 1
            if time.perf_counter() - begun > LONGEST_SAMPLE:
                break
        self.synchronise()
        return (time.perf_counter() - begun) / done

    @staticmethod
    def _between(gpu: Gpu, work: Callable[[], object]) -> float:
        """Seconds on the device from before a piece of work to after it, with nothing else in the queue."""
        start, end = gpu.event(), gpu.event()
        gpu.synchronise()
        start.record()
        work()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1000

    @staticmethod
    def _one_by_one(gpu: Gpu, timed: Timed) -> float:
        """Every call between events of its own, the cache flushed before each: the flush is launched first and not counted."""
        pairs = [(gpu.event(), gpu.event()) for _ in range(timed.calls)]
        gpu.synchronise()
        for start, end in pairs:
            gpu.flush()
            start.record()
            timed.call()
            end.record()
        gpu.synchronise()
        return sum(start.elapsed_time(end) for start, end in pairs) / 1000 / timed.calls

    def warm(self, timed: Timed) -> float:
        """Run it twice, choose how many calls a sample has, and capture a small kernel as a graph. Gives the seconds of a call."""
        timed.calls = 1
        self.sample(timed)
        once = self.sample(timed)
        most = FLUSHED_CALLS if timed.flushed else MOST_CALLS
        timed.calls = max(1, min(most, int(SAMPLE_SECONDS / max(once, 1e-7))))
        if self.gpu is not None:
            timed.timer = EVENTS
            if once < SMALL and timed.capturable and not timed.flushed:
                self._capture(self.gpu, timed)
        return once

    @staticmethod
    def _capture(gpu: Gpu, timed: Timed) -> None:
        timed.calls = max(timed.calls, timed.fewest)
        try:
            timed.replay = gpu.capture(timed.call, timed.calls)
        except RuntimeError as problem:
            timed.not_captured = (str(problem).strip().splitlines() or ["no reason given"])[0][:200]
            gpu.synchronise()
            return
        timed.timer = GRAPH
        timed.replay()
        gpu.synchronise()

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


def quantile(samples: Sequence[float], at: float) -> float:
    """Linear between the two nearest samples."""
    ordered = sorted(samples)
    place = at * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
