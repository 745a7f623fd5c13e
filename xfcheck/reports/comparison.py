"""Comparisons in the format that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..comparison.compare import element
from .comparison_bars import EIGHTHS
from .comparison_bars import bars as chart
from .comparison_table import COLUMNS, comma_separated, markdown, text, value_of
from .comparison_units import encodes
from .envelope import document, line
from .plain import error_text

if TYPE_CHECKING:
    from ..comparison.compare import Comparison
    from ..comparison.request import Request


def rendered(
    comparisons: list[Comparison],
    failures: list[dict[str, Any]],
    request: Request,
    *,
    bars: str | None = None,
    exact: bool = False,
    room: int | None = None,
) -> str:
    """The whole report, in text and csv without the paths that failed.

    `bars` is the column of the chart under a text, null for the cache where there is one, `none` for no chart. `room`: what a text
    has of a terminal's columns.
    """
    columns = [*COLUMNS, *_measured(request)] if request.columns is None else request.columns
    if request.format in ("json", "jsonl"):
        results = [element(c, columns) for c in comparisons] + failures
        return document(results) + "\n" if request.format == "json" else "".join(line(r) + "\n" for r in results)
    if request.format == "csv":
        return comma_separated(comparisons, columns)
    if request.format == "markdown":
        return "\n".join([*(markdown(c, columns, exact=exact) for c in comparisons), *map(error_text, failures)])
    return "\n".join(_with_chart(c, columns, bars, exact=exact, room=room) for c in comparisons)


def _measured(request: Request) -> tuple[str, ...]:
    """Columns that `--measure` adds."""
    if request.measure_seconds is None:
        return ()
    from ..comparison.measured import COLUMNS as MEASURED

    return MEASURED


def _with_chart(comparison: Comparison, columns: list[str], bars: str | None, *, exact: bool, room: int | None) -> str:
    table = text(comparison, columns, exact=exact, room=room)
    if room is not None:
        from .terminal import fitted

        table = fitted(table, room)
    if bars == "none":
        return table
    key = bars or ("cache.bytes" if any(value_of(e, "cache.bytes") for e in comparison.costed) else "parameters.total")
    drawn = chart(comparison, key, blocks=encodes(EIGHTHS), room=room)
    return f"{table}\n{drawn}" if drawn else table
