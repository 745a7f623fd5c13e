"""Rows of the masked softmax sum to one, and each head's output stays in the hull of the values it sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """The largest |sum - 1| of any row (with sinks: what a row exceeds one by), and how far any output lies outside of its values."""
    off = outside = 0.0
    count, sinks = 0, False
    for name, placed in x.heads():
        weights, out, value = (x.seen[f"{name}.{part}"] for part in ("weights", "heads", "value"))
        gap = weights.sum(-1) - 1
        own = bool(getattr(placed.mixer, "sinks", False))
        off = max(off, (gap.clamp(min=0) if own else gap.abs()).max().item()) if not gap.isnan().any() else float("nan")
        sinks, count = sinks or own, count + 1
        if weights.shape[-1] != value.shape[2]:  # keys of another stream are among them
            continue
        low, high = value.min(2, keepdim=True).values, value.max(2, keepdim=True).values
        repeats = out.shape[1] // value.shape[1]
        low, high = low.repeat_interleave(repeats, 1), high.repeat_interleave(repeats, 1)
        if own:
            low, high = low.clamp(max=0), high.clamp(min=0)
        outside = max(outside, (low - out).clamp(min=0).max().item(), (out - high).clamp(min=0).max().item())
    if count:
        yield bounded(
            "row_sums",
            off,
            x.exact,
            f"largest distance of a row's sum from one, {count} kinds of attention" + (" (sinks take a share)" if sinks else ""),
        )
        yield bounded("hull", outside, x.exact, "largest distance of an output from the hull of its values, a coordinate at a time")
