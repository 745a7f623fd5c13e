"""Plots as SVG, without a library: light and dark by the reader's own setting, names beside their lines, the values as description."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..accounting.units import si
from .comparison_plots import Lines, Roofline, Stack
from .comparison_scales import Log, cut, span, spread, ticks
from .plain import plain

if TYPE_CHECKING:
    from .comparison_plots import Plot

WIDTH, TOP, LEFT = 860, 56, 96
LIGHT = ("#0b62a3", "#c2410c", "#0f7a4f", "#9d2a8c", "#8a6100", "#4c3fb5", "#a3133b", "#3f5b66")
DARK = ("#62b0f0", "#ff9a66", "#4fd39b", "#f08be0", "#e0b43c", "#a99cff", "#ff7d9c", "#a9c3cf")
DASHES = ("", "7 3", "2 3", "9 3 2 3")
"""Lines past the last colour take the next dash, so that no two are alike."""
LETTER = 7.2
"""Width of a letter of 12 pixels, widely taken."""


def svg(plot: Plot) -> str:
    """The document."""
    if isinstance(plot, Lines):
        return _lines(plot)
    return _stack(plot) if isinstance(plot, Stack) else _roofline(plot)


def _document(title: str, height: float, body: list[str], told: list[str]) -> str:
    light = "".join(f".c{i}{{stroke:{c}}}.f{i}{{fill:{c}}}" for i, c in enumerate(LIGHT))
    dark = "".join(f".c{i}{{stroke:{c}}}.f{i}{{fill:{c}}}" for i, c in enumerate(DARK))
    style = (
        "text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}"
        ".ground{fill:#fff}.grid{stroke:#d5dae0;stroke-width:1}.axis{stroke:#59636e;stroke-width:1}.faint,.mark{fill:#59636e}"
        ".line{fill:none;stroke-width:2;stroke-linejoin:round}.lead{stroke-width:1;opacity:.55;fill:none}"
        ".roof{fill:none;stroke:#59636e;stroke-width:2}"
        f"{light}@media (prefers-color-scheme:dark){{text{{fill:#e6edf3}}.ground{{fill:#0d1117}}.grid{{stroke:#30363d}}"
        f".axis,.roof{{stroke:#9da7b1}}.faint,.mark{{fill:#9da7b1}}{dark}}}"
    )
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}" role="img">',
        f"<title>{_safe(title)}</title>", f"<desc>{_safe('; '.join(told))}</desc>", f"<style>{style}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{height:.0f}"/>', _text(16, 28, title, cls="title"), *body, "</svg>", "",
    ])  # fmt: skip


def _lines(plot: Lines) -> str:
    names = [cut(s.name) for s in plot.series]
    right = WIDTH - max(118.0, 34 + LETTER * max(map(len, names)))
    bottom = TOP + max(300, 20 * len(names))
    base = 2 if plot.binary else 10
    xs = [x for s in plot.series for x, _ in s.points]
    ys = [float(y) for s in plot.series for _, y in s.points]
    across = Log(min(xs), max(*xs, 2 * min(xs)), LEFT, right)
    low, high = span(ys, base)
    up = Log(low, high, bottom, TOP)
    body = []
    for y in ticks(low, high, base, 8):
        body += [_rule(LEFT, up.at(y), right, up.at(y), "grid"), _text(LEFT - 8, up.at(y) + 4, short(plot.y_text(y)), "end", "faint")]
    for x in ticks(across.low, across.high, 2, 10):
        body += [_rule(across.at(x), TOP, across.at(x), bottom, "grid"), _text(across.at(x), bottom + 18, count(x), "middle", "faint")]
    body += [_rule(LEFT, bottom, right, bottom, "axis"), _text((LEFT + right) / 2, bottom + 38, plot.x_title, "middle")]
    body.append(_text(16, TOP - 10, plot.y_title))
    places = spread([up.at(s.points[-1][1]) for s in plot.series], 17, TOP, bottom)
    for i, (series, name, place) in enumerate(zip(plot.series, names, places, strict=True)):
        points = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in series.points)
        dash = DASHES[i // len(LIGHT) % len(DASHES)]
        body.append(f'<polyline class="line c{i % len(LIGHT)}" points="{points}"' + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")
        end, last = across.at(series.points[-1][0]), up.at(series.points[-1][1])
        body.append(f'<path class="lead c{i % len(LIGHT)}" d="M{end:.1f} {last:.1f}L{right + 16:.1f} {place:.1f}H{right + 20:.1f}"/>')
        body.append(_text(right + 24, place + 4, name, cls=f"f{i % len(LIGHT)}"))
    told = [f"{s.name}: {plot.y_text(s.points[-1][1])} at {s.points[-1][0]:,}" for s in plot.series]
    return _document(plot.title, bottom + 54, body, told)


def _stack(plot: Stack) -> str:
    names = [cut(name) for name, _ in plot.bars]
    left = 28 + LETTER * max(map(len, names))
    right, step, thick = WIDTH - 84.0, 30, 18
    body, x, y = [], 16.0, float(TOP)
    for i, part in enumerate(plot.parts):
        room = 26 + LETTER * len(part)
        if x + room > WIDTH - 16:
            x, y = 16.0, y + 20
        body += [_box(x, y - 10, 12, 12, i), _text(x + 18, y, part)]
        x += room + 12
    top = y + 22
    longest = max((sum(values) for _, values in plot.bars), default=1) or 1
    for n, (name, (_, values)) in enumerate(zip(names, plot.bars, strict=True)):
        y, x = top + n * step, left
        body.append(_text(left - 10, y + 13, name, "end"))
        for i, value in enumerate(values):
            wide = (right - left) * value / longest
            if wide > 0:
                body.append(_box(x, y, wide, thick, i))
            x += wide
        body.append(_text(x + 8, y + 13, si(sum(values)), cls="faint"))
    told = [
        f"{name}: " + ", ".join(f"{part} {value:,}" for part, value in zip(plot.parts, values, strict=True)) for name, values in plot.bars
    ]
    return _document(plot.title, top + len(names) * step + 14, body, told)


def _roofline(plot: Roofline) -> str:
    names = [cut(name) for name, _ in plot.points]
    right = WIDTH - max(118.0, 34 + LETTER * max(map(len, names)))
    bottom = TOP + max(300, 20 * len(names))
    ridge = plot.peak / plot.bandwidth
    low, high = span([*(v for _, v in plot.points), ridge * 2], 2)
    across = Log(low, high, LEFT, right)
    floor_, roof = span([plot.bandwidth * low, float(plot.peak), *plot.heights], 10)
    up = Log(floor_, roof, bottom, TOP)
    body = []
    for y in ticks(floor_, roof, 10, 8):
        body += [_rule(LEFT, up.at(y), right, up.at(y), "grid"), _text(LEFT - 8, up.at(y) + 4, short(si(y, "FLOP/s")), "end", "faint")]
    for x in ticks(low, high, 2, 10):
        shown = f"{x:g}"
        body += [_rule(across.at(x), TOP, across.at(x), bottom, "grid"), _text(across.at(x), bottom + 18, shown, "middle", "faint")]
    body += [_rule(LEFT, bottom, right, bottom, "axis"), _text((LEFT + right) / 2, bottom + 38, "FLOPs a byte read", "middle")]
    body.append(_text(16, TOP - 10, "attainable"))
    path = f"M{LEFT} {up.at(plot.bandwidth * low):.1f}L{across.at(ridge):.1f} {up.at(plot.peak):.1f}H{right:.1f}"
    body.append(f'<path class="roof" d="{path}"/>')
    reached, most = plot.heights, plot.attainable
    places = spread([up.at(y) for y in reached], 17, TOP, bottom)
    for i, ((_, value), y, name, place) in enumerate(zip(plot.points, reached, names, places, strict=True)):
        n = i % len(LIGHT)
        if plot.measured is not None:
            path = f"M{across.at(value):.1f} {up.at(y):.1f}V{up.at(most[i]):.1f}"
            body.append(f'<path class="lead c{n}" stroke-dasharray="2 3" d="{path}"/>')
        body.append(f'<circle class="f{n}" cx="{across.at(value):.1f}" cy="{up.at(y):.1f}" r="5"/>')
        body.append(f'<path class="lead c{n}" d="M{across.at(value):.1f} {up.at(y):.1f}L{right + 16:.1f} {place:.1f}H{right + 20:.1f}"/>')
        body.append(_text(right + 24, place + 4, name, cls=f"f{n}"))
    told = [
        f"{name}: {value:.3g} FLOPs a byte, at most {si(y, 'FLOP/s')}" + ("" if plot.measured is None else f", reached {si(at, 'FLOP/s')}")
        for (name, value), y, at in zip(plot.points, most, reached, strict=True)
    ]
    return _document(plot.title, bottom + 54, body, told)


def count(value: float) -> str:
    """Tokens or sequences in powers of two: 512, 4k, 1M."""
    for size, letter in ((1 << 20, "M"), (1 << 10, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def short(text: str) -> str:
    """A round value without its zeros: `4.00 GiB` is `4 GiB`."""
    number, _, unit = text.partition(" ")
    return f"{float(number):g} {unit}".strip() if unit else text


def _text(x: float, y: float, words: str, anchor: str = "start", cls: str = "") -> str:
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{at}' + (f' class="{cls}"' if cls else "") + f">{_safe(words)}</text>"


def _rule(x1: float, y1: float, x2: float, y2: float, cls: str) -> str:
    return f'<line class="{cls}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _box(x: float, y: float, wide: float, high: float, part: int) -> str:
    faded = "" if part < len(LIGHT) else ' opacity=".5"'
    return f'<rect class="f{part % len(LIGHT)}" x="{x:.1f}" y="{y:.1f}" width="{wide:.2f}" height="{high}"{faded}/>'


def safe_text(words: str) -> str:
    """Text from files for a picture: on one line, nothing in it obeyed."""
    return plain(words)


def _safe(words: str) -> str:
    return escape(safe_text(words))
