"""A small chart in the terminal, of block characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .comparison_table import value_of
from .comparison_units import label, shown
from .plain import plain

if TYPE_CHECKING:
    from ..comparison.compare import Comparison

EIGHTHS = " ▏▎▍▌▋▊▉█"
WIDTH, LEAST = 40, 8


def bars(comparison: Comparison, key: str, *, blocks: bool = True, room: int | None = None) -> str:
    """One bar a variant, from zero, as long as its share of the longest; empty where there is nothing to draw, or no room for it."""
    found = [(plain(e.name), value_of(e, key)) for e in comparison.costed]
    values = [(name, value) for name, value in found if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0]
    top = max((value for _, value in values), default=0)
    if not top or len(values) < 2:
        return ""
    names, figures = max(len(name) for name, _ in values), max(len(shown(value, key)) for _, value in values)
    wide = WIDTH if room is None else min(WIDTH, room - names - figures - 4)
    if wide < LEAST:
        return ""
    lines = [label(key)]
    for name, value in values:
        eighths = round(8 * wide * value / top)
        drawn = EIGHTHS[8] * (eighths // 8) + EIGHTHS[eighths % 8].strip() if blocks else "#" * round(eighths / 8)
        lines.append(f"{name.ljust(names)}  {drawn.ljust(wide)}  {shown(value, key)}".rstrip())
    return "\n".join(lines) + "\n"
