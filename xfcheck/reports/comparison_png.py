"""Plots as PNG, by matplotlib (extra `plots`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..accounting.units import si
from ..problems import Usage
from .comparison_plots import Lines, Stack
from .comparison_scales import cut, spread
from .comparison_svg import DASHES, LIGHT, count, safe_text, short

if TYPE_CHECKING:
    from .comparison_plots import Plot, Roofline


def png(plot: Plot, file: str) -> None:
    """Write the file, on a white ground. Raises Usage where matplotlib is missing or the file cannot be written."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise Usage("a .png plot needs matplotlib: install xfcheck[plots], or draw a .svg") from missing
    rows = len(plot.bars) if isinstance(plot, Stack) else 0
    # a dollar sign in a name is no formula
    with rc_context({"text.parse_math": False, "font.family": "DejaVu Sans", "font.size": 9}):
        figure = Figure(figsize=(8.6, 1.5 + 0.3 * rows if rows else 4.4), dpi=150, layout="constrained", facecolor="white")
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.set_title(safe_text(plot.title), loc="left", fontsize=11, fontweight="bold", pad=24 if rows else 12)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        _drawn(plot, axes, canvas)
        try:
            figure.savefig(file, format="png", metadata={"Software": None})
        except OSError as error:
            raise Usage(f"{file} cannot be written: {error.strerror}") from error


def _drawn(plot: Plot, axes: Any, canvas: Any) -> None:
    if isinstance(plot, Stack):
        _stack(plot, axes)
        return
    ends = _lines(plot, axes) if isinstance(plot, Lines) else _roofline(plot, axes)
    canvas.draw()
    _named(axes, ends)


def _lines(plot: Lines, axes: Any) -> list[tuple[str, float, float]]:
    """The lines; (name, x, y) of each one's end."""
    base = 2 if plot.binary else 10
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=base)
    for i, series in enumerate(plot.series):
        dash = DASHES[i // len(LIGHT) % len(DASHES)]
        style: Any = "-" if not dash else (0, tuple(float(n) / 2 for n in dash.split()))
        axes.plot([x for x, _ in series.points], [y for _, y in series.points], color=LIGHT[i % len(LIGHT)], linestyle=style, linewidth=1.6)
    axes.grid(True, color="#d5dae0", linewidth=0.7)
    axes.margins(x=0)
    axes.set_xlabel(plot.x_title)
    axes.set_ylabel(plot.y_title)
    axes.xaxis.set_major_formatter(lambda x, _: count(x))
    axes.yaxis.set_major_formatter(lambda y, _: short(plot.y_text(y)))
    axes.minorticks_off()
    axes.tick_params(length=0, colors="#59636e")
    return [(series.name, float(series.points[-1][0]), float(series.points[-1][1])) for series in plot.series]


def _named(axes: Any, ends: list[tuple[str, float, float]]) -> None:
    """Each line's name at the right, apart from the others'."""
    box = axes.get_window_extent()
    pixels = [axes.transData.transform((x, y)) for _, x, y in ends]
    places = spread([float(y) for _, y in pixels], 9 * axes.figure.dpi / 72 * 1.35, box.y0, box.y1)
    for i, ((name, x, y), place) in enumerate(zip(ends, places, strict=True)):
        axes.annotate(
            safe_text(cut(name)), xy=(x, y), xycoords="data", xytext=(1.03, (place - box.y0) / box.height), textcoords="axes fraction",
            color=LIGHT[i % len(LIGHT)], va="center", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": LIGHT[i % len(LIGHT)], "linewidth": 0.6, "alpha": 0.55, "shrinkA": 1, "shrinkB": 0},
        )  # fmt: skip


def _stack(plot: Stack, axes: Any) -> None:
    rows = range(len(plot.bars))
    start = [0.0] * len(plot.bars)
    for i, part in enumerate(plot.parts):
        values = [float(values[i]) for _, values in plot.bars]
        axes.barh(rows, values, left=start, height=0.6, color=LIGHT[i % len(LIGHT)], alpha=1 if i < len(LIGHT) else 0.5, label=part)
        start = [a + b for a, b in zip(start, values, strict=True)]
    for row, total in enumerate(start):
        axes.annotate(si(total), xy=(total, row), xytext=(5, 0), textcoords="offset points", va="center", color="#59636e")
    axes.set_yticks(rows, [safe_text(cut(name)) for name, _ in plot.bars])
    axes.invert_yaxis()
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(length=0)
    axes.margins(x=0.08)
    axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=min(6, len(plot.parts)), frameon=False, handlelength=1, handleheight=1, fontsize=8
    )


def _roofline(plot: Roofline, axes: Any) -> list[tuple[str, float, float]]:
    ridge = plot.peak / plot.bandwidth
    low = min(value for _, value in plot.points) / 2
    high = max(ridge * 4, *(2 * value for _, value in plot.points))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.plot([low, ridge, high], [plot.bandwidth * low, plot.peak, plot.peak], color="#59636e", linewidth=1.6)
    ends = [(name, value, height) for (name, value), height in zip(plot.points, plot.heights, strict=True)]
    for i, ((_, x, y), most) in enumerate(zip(ends, plot.attainable, strict=True)):
        axes.plot([x, x], [y, most], ":", color=LIGHT[i % len(LIGHT)], linewidth=1)
        axes.plot([x], [y], "o", color=LIGHT[i % len(LIGHT)], markersize=5)
    axes.grid(True, color="#d5dae0", linewidth=0.7)
    axes.margins(x=0)
    axes.set_xlabel("FLOPs a byte read")
    axes.set_ylabel("attainable" if plot.measured is None else "reached")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.yaxis.set_major_formatter(lambda y, _: short(si(y, "FLOP/s")))
    axes.minorticks_off()
    axes.tick_params(length=0, colors="#59636e")
    return ends
