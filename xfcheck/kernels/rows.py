"""The row of a measurement: the figures that a time stands for, and which of them cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .check import WrongError
from .machine import bound

if TYPE_CHECKING:
    import torch

    from .frequency import Reading
    from .layers import Problem
    from .machine import Ceilings
    from .measure import Entry


class MeasuringError(Exception):
    """A figure that no machine of this kind can reach."""


def row(entry: Entry, roof: Ceilings, where: torch.device, name: str, clocks: tuple[Reading, Reading]) -> dict[str, Any]:
    """What a report says. Raises MeasuringError for a figure above what the device can do.

    `roofline_ms` is what the roofline predicts, `roofline_fraction` its share of the median, null where a kernel was faster than ceilings
    that were measured.
    """
    case, seconds = entry.case, entry.timed.median
    flops, moved = case.flops(entry.direction), case.bytes(entry.direction)
    require_possible(flops / seconds, bound(where, name, case.dtype))
    least = roof.seconds(flops, moved)
    if least > 1.05 * seconds and not roof.measured:
        raise MeasuringError(f"{seconds * 1e3:.4g} ms is less than the {least * 1e3:.4g} ms that the device's peaks allow")
    return {
        "backend": entry.backend, **case.row(entry.direction), "median_ms": seconds * 1e3, "spread": entry.timed.spread,
        "rounds": len(entry.timed.samples), "flops": flops, "bytes": moved, "tflops_per_s": flops / seconds / 1e12,
        "gb_per_s": moved / seconds / 1e9, "roofline_ms": least * 1e3,
        "roofline_fraction": least / seconds if least <= seconds else None,
        "binds": roof.binds(flops, moved), "max_abs_error": entry.error, "operators": entry.operators, "timer": entry.timed.timer,
        "not_captured": entry.timed.not_captured, "cold": entry.cold, "clock_mhz": [reading.mhz for reading in clocks],
    }  # fmt: skip


def refused(case: Problem, direction: str, name: str, problem: Exception) -> dict[str, Any]:
    """What a report says of a variant without a figure."""
    error = problem.error if isinstance(problem, WrongError) else None
    told = str(problem).strip().splitlines() or [type(problem).__name__]
    return {"backend": name, **case.row(direction), "max_abs_error": error, "why": told[0][:300]}


def require_possible(flops_per_s: float, most: float | None) -> None:
    """Raises MeasuringError for a figure above what the device can do: work that was not waited for, or not done."""
    if most is not None and flops_per_s > most:
        raise MeasuringError(
            f"{flops_per_s / 1e12:.4g} TFLOP/s is above what this device can reach ({most / 1e12:.4g}): work was not waited for or not done"
        )
