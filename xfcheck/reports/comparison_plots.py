"""What the plots of a comparison show; `comparison_svg` and `comparison_png` draw it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..accounting.units import binary, si
from ..comparison.curves import Curves, usual_context
from ..problems import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..comparison.compare import Comparison, Entry

MOST = 16
"""Variants that one plot shows; lines of more cannot be told apart."""


class Series(NamedTuple):
    """One line: its name and its points (x, y)."""

    name: str
    points: list[tuple[int, int]]


class Lines(NamedTuple):
    """Lines over logarithmic axes; `x_text` and `y_text` write a value with its unit."""

    title: str
    x_title: str
    y_title: str
    series: list[Series]
    binary: bool

    def y_text(self, value: float) -> str:
        """A value of the vertical axis."""
        return binary(value) if self.binary else si(value, "FLOP")


class Stack(NamedTuple):
    """Horizontal bars of parts: per variant the parts' values in the order of `parts`."""

    title: str
    parts: list[str]
    bars: list[tuple[str, list[int]]]


class Roofline(NamedTuple):
    """The roof of a device (FLOP/s, bytes/s) and points (name, FLOPs a byte); `measured`: FLOP/s that each reached, where it was run."""

    title: str
    peak: int
    bandwidth: int
    points: list[tuple[str, float]]
    measured: list[float] | None = None

    @property
    def attainable(self) -> list[float]:
        """FLOP/s of each point on the roof."""
        return [float(min(self.peak, self.bandwidth * value)) for _, value in self.points]

    @property
    def heights(self) -> list[float]:
        """FLOP/s at which each point stands: measured, else attainable."""
        return self.attainable if self.measured is None else self.measured


Plot = Lines | Stack | Roofline


def plot(kind: str, comparison: Comparison) -> Plot:
    """The plot of a kind. Raises Usage where there is nothing to draw or too much."""
    entries = comparison.costed
    if len(entries) > MOST:
        raise Usage(f"--plot draws up to {MOST} variants, these are {len(entries)}")
    return KINDS[kind](entries)


def draw(kind: str, file: str, comparisons: Sequence[Comparison]) -> None:
    """Draw a plot into a .svg or .png file.

    Raises Usage where it cannot be written, where matplotlib is missing, and for several comparisons at once.
    """
    if len(comparisons) != 1:
        raise Usage("--plot draws one comparison: give one path with --vary, or several paths without")
    drawn = plot(kind, comparisons[0])
    if file.lower().endswith(".svg"):
        from ..comparison.written import write_text
        from .comparison_svg import svg

        write_text(svg(drawn), file)
    else:
        from .comparison_png import png

        png(drawn, file)


def _powers(low: int, high: int) -> list[int]:
    """Powers of two from one to the other, both included where they are powers."""
    return [1 << n for n in range(low.bit_length() - 1, high.bit_length() + 1) if low <= 1 << n <= high] or [low]


def _contexts(entries: Sequence[Entry]) -> list[int]:
    """From 256 to four times the longest context in the comparison, at least to 65,536."""
    longest = max(usual_context(e.draft) for e in entries if e.draft is not None)
    return _powers(256, max(65536, 4 * longest))


def _lines(entries: Sequence[Entry], xs: list[int], value: Callable[[Curves, int], int]) -> list[Series]:
    out = []
    for each in entries:
        if each.draft is not None:
            at = Curves(each.draft)
            out.append(Series(each.name, [(x, y) for x in xs if (y := value(at, x)) > 0]))
    return [series for series in out if series.points]


def _some(series: list[Series], what: str) -> list[Series]:
    if not series:
        raise Usage(f"--plot: no variant has {what}")
    return series


def _conditions(entries: Sequence[Entry]) -> str:
    return f"batch {entries[0].budget['cache']['batch']}"


def _cache(entries: Sequence[Entry]) -> Lines:
    series = _some(_lines(entries, _contexts(entries), lambda at, n: at.cache_bytes(n) if at.decodes else 0), "a cache")
    kept = entries[0].budget["cache"]
    return Lines(
        f"Cache against context ({_conditions(entries)}, {kept['dtype']}, {kept['engine']})", "context, tokens", "cache", series, True
    )


def _flops(entries: Sequence[Entry]) -> Lines:
    series = _lines(entries, _contexts(entries), lambda at, n: at.flops(n))
    return Lines(f"FLOPs of a prefill against context ({_conditions(entries)}, visible pairs)", "context, tokens", "prefill", series, False)


def _memory(entries: Sequence[Entry]) -> Lines:
    weights = {e.name: int(e.budget["memory"]["weight_bytes"]) for e in entries}
    lengths = {e.budget["cache"]["context"] for e in entries}
    out = []
    for each in entries:
        if each.draft is not None:
            at, context = Curves(each.draft), int(each.budget["cache"]["context"])
            out.append(Series(each.name, [(b, weights[each.name] + at.cache_bytes(context, b)) for b in _powers(1, 1024)]))
    length = f"context {lengths.pop():,}" if len(lengths) == 1 else "each at its context"
    return Lines(f"Weights and cache against batch ({length})", "batch, sequences", "memory", out, True)


def _parameters(entries: Sequence[Entry]) -> Stack:
    shares = {e.name: e.budget["parameters"]["by_component"] for e in entries}
    size: dict[str, int] = {}
    for share in shares.values():
        for part, count in share.items():
            size[part] = max(size.get(part, 0), count)
    parts = [part for part, count in sorted(size.items(), key=lambda item: -item[1]) if count]
    bars = [(name, [int(share.get(part, 0)) for part in parts]) for name, share in shares.items()]
    return Stack("Parameters by component", [part.replace("_", " ") for part in parts], bars)


def _roofline(entries: Sequence[Entry]) -> Roofline:
    """One decode step: FLOPs over visible pairs, bytes of the weights that are read and of the cache."""
    from ..accounting.on_device import read_share

    points, device, dtype = [], None, "bfloat16"
    for each in entries:
        decode, held = each.budget["flops"]["decode"], each.budget["cache"]["bytes"]
        if each.draft is None or decode is None or held is None:
            continue
        name = each.draft.options.device
        device = None if name is None else each.draft.options.accelerator(name)
        dtype = Curves(each.draft).dtype or dtype
        read = each.budget["memory"]["weight_bytes"] * read_share(each.draft.model, each.budget["cache"]["batch"]) + held
        points.append((each.name, decode.get("absorbed_total", decode["total_visible"]) / read))
    peak = None if device is None else device.peak(dtype)
    if device is None or peak is None or device.bandwidth_bytes_per_s is None or not points:
        raise Usage("--plot roofline needs --device with a known bandwidth and a peak of the dtype, and a model that decodes")
    base = entries[0].budget["cache"]
    title = f"One decode step on {device.name} (batch {base['batch']}, context {base['context']:,}, {dtype})"
    return Roofline(title, peak, device.bandwidth_bytes_per_s, points)


KINDS: dict[str, Callable[[Sequence[Entry]], Plot]] = {
    "cache": _cache,
    "flops": _flops,
    "parameters": _parameters,
    "memory": _memory,
    "roofline": _roofline,
}
