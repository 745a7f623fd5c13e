"""Collectives timed by several processes that agree on every step: how often, how long, and when to stop."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from .clock import quantile

if TYPE_CHECKING:
    from collections.abc import Callable

    from .messages import Message

ROUNDS = 7
SAMPLE_SECONDS = 0.05
MOST_CALLS = 200
FEWEST_CALLS = 8
"""Calls that a message needs at least: the check, warm-up, three rounds."""


@dataclass(slots=True)
class Exchange:
    """Measurements of a process group. `dtype` is torch's name; `deadline` in `time.monotonic`, of rank 0, whose clock alone counts."""

    device: torch.device
    dtype: str
    deadline: float
    rows: list[dict[str, Any]] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)
    stopped: str | None = None

    def all(self, wanted: list[Message]) -> None:
        """Measure in the order of size, so that the time of the larger ones is foreseen from the smaller ones."""
        for message in sorted(wanted, key=lambda m: m.elements):
            self.one(message)

    def one(self, message: Message) -> None:
        """Check a collective and time it; what is wrong on one rank is refused on all."""
        kind = getattr(torch, self.dtype)
        size = message.padded(dist.get_world_size()) * kind.itemsize
        left, takes = self.deadline - time.monotonic(), FEWEST_CALLS * size / self.rates.get(message.collective, float("inf"))
        if not self._agreed(left > 0 and takes <= left):
            self.stopped = "budget"
            self._refuse(message, f"would take about {takes:.1f} s of the budget, {max(left, 0):.1f} s are left")
            return
        try:
            call, held = prepared(message, kind, self.device)
            right = held()
        except (RuntimeError, ValueError, NotImplementedError) as problem:  # what a backend cannot do, it cannot do on any rank
            self._refuse(message, (str(problem).strip().splitlines() or [type(problem).__name__])[0][:200])
            return
        if not self._everywhere(right):
            self._refuse(message, "a rank received other numbers than were sent")
            return
        samples = self._rounds(call)
        self.rates[message.collective] = size / quantile(samples, 0.5)
        self.rows.append(row(message, size, samples, self.dtype))

    def _rounds(self, call: Callable[[], object]) -> list[float]:
        self._sample(call, 1)
        once = self._sample(call, 1)
        calls = max(1, min(MOST_CALLS, int(SAMPLE_SECONDS / max(once, 1e-7))))
        samples: list[float] = []
        for done in range(ROUNDS):
            if not self._agreed(done < 3 or time.monotonic() < self.deadline):
                break
            samples.append(self._sample(call, calls))
        return samples

    def _sample(self, call: Callable[[], object], calls: int) -> float:
        """Seconds of one call on the slowest rank, so that all ranks know the same number."""
        self._wait()
        dist.barrier()
        begun = time.perf_counter()
        for _ in range(calls):
            call()
        self._wait()
        return self._reduced((time.perf_counter() - begun) / calls, dist.ReduceOp.MAX)

    def _wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def _reduced(self, value: float, how: Any) -> float:
        told = torch.tensor([value], dtype=torch.float64, device=self.device)
        dist.all_reduce(told, op=how)
        return float(told)

    def _everywhere(self, holds: bool) -> bool:
        return self._reduced(float(holds), dist.ReduceOp.MIN) > 0

    def _agreed(self, holds: bool) -> bool:
        """What rank 0 holds."""
        told = torch.tensor([float(holds)], dtype=torch.float64, device=self.device)
        dist.broadcast(told, 0)
        return float(told) > 0

    def _refuse(self, message: Message, why: str) -> None:
        self.refused.append({"collective": message.collective, "purpose": message.purpose, "why": why})


def row(message: Message, size: int, samples: list[float], dtype: str) -> dict[str, Any]:
    """Figures in nccl-tests' terms: algorithm bandwidth is size over time, bus bandwidth what a link of each rank carried."""
    seconds, ranks = quantile(samples, 0.5), dist.get_world_size()
    return {
        "collective": message.collective, "purpose": message.purpose, "ranks": ranks, "dtype": dtype, "bytes": size,
        "formula": message.formula, "median_ms": seconds * 1e3, "spread": (quantile(samples, 0.8) - quantile(samples, 0.2)) / seconds,
        "rounds": len(samples), "algbw_gb_per_s": size / seconds / 1e9, "busbw_gb_per_s": message.bus(size / seconds, ranks) / 1e9,
        "times_a_forward_pass": message.times, "ms_a_forward_pass": message.times * seconds * 1e3,
    }  # fmt: skip


def numbers(count: int, rank: int, kind: torch.dtype, device: torch.device, seed: int) -> torch.Tensor:
    """What a rank sends: random -1, 0 and 1 of that rank, so that sums over up to 256 ranks are exact in 16 bits."""
    source = torch.Generator().manual_seed(seed * 1009 + rank)
    return torch.randint(-1, 2, (count,), generator=source).to(kind).to(device)


def prepared(message: Message, kind: torch.dtype, device: torch.device) -> tuple[Callable[[], object], Callable[[], bool]]:
    """(one call, a call whose result is held to what every rank sent); numbers are fresh and the output is poisoned before it.

    All-reduces that are timed give the mean or (gloo, which has none) the maximum: a sum that is reduced again and again overflows.
    """
    rank, ranks = dist.get_rank(), dist.get_world_size()
    count = message.padded(ranks)
    part = count // ranks
    seed = _shared_seed(device)
    if message.collective == "all-reduce":
        given = numbers(count, rank, kind, device, seed)
        buffer = given.clone()

        def reduces() -> bool:
            buffer.copy_(given)
            dist.all_reduce(buffer)
            want = sum((numbers(count, r, torch.float32, device, seed) for r in range(ranks)), torch.zeros(1, device=device))
            right = torch.equal(buffer.float(), want)
            buffer.zero_()
            buffer.add_(given / 1024)
            return right

        return lambda: dist.all_reduce(buffer, op=dist.ReduceOp.AVG if device.type == "cuda" else dist.ReduceOp.MAX), reduces
    out = torch.full((count,), float("nan"), dtype=kind, device=device)
    if message.collective == "all-gather":
        # the name that torch 2.13 gives it
        gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
        mine = numbers(part, rank, kind, device, seed)

        def gathers() -> bool:
            gather(out, mine)
            return torch.equal(out, torch.cat([numbers(part, r, kind, device, seed) for r in range(ranks)]))

        return lambda: gather(out, mine), gathers
    sent = numbers(count, rank, kind, device, seed)

    def exchanges() -> bool:
        dist.all_to_all_single(out, sent)
        want = [numbers(count, r, kind, device, seed)[rank * part : (rank + 1) * part] for r in range(ranks)]
        return torch.equal(out, torch.cat(want))

    return lambda: dist.all_to_all_single(out, sent), exchanges


def _shared_seed(device: torch.device) -> int:
    """Of rank 0, another each time."""
    told = torch.randint(2**31, (1,), dtype=torch.int64).to(device)
    dist.broadcast(told, 0)
    return int(told)
