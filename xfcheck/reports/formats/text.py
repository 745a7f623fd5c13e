"""For people: each finding with the line it is about, a caret, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plain import line_start, plain
from .concise import ending, statistics

if TYPE_CHECKING:
    from ..linted import Place, Run

MARGIN = 9
"""Columns before the part of a file's line."""
_COLORS = {"error": "31", "warning": "33", "info": "36"}


def render(run: Run) -> str:
    """The findings, or with `statistics` a count of each rule, and the summary."""
    lines = statistics(run) if run.statistics else [_finding(place, run.columns, color=run.color) for place in run.places()]
    end = ending(run)
    if run.columns is not None:
        from ..terminal import fitted

        end = fitted(end, run.columns)
    return "".join(f"{line}\n" for line in lines) + end


def _finding(place: Place, columns: int | None, *, color: bool) -> str:
    finding = place.finding

    def paint(text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if color else text

    at = "" if finding.line is None else f":{finding.line}:{finding.column}"
    kind = paint(f"{finding.severity} {finding.code}", f"1;{_COLORS[finding.severity]}")
    lines = [f"{paint(line_start(plain(place.path)), '1')}{at}: {kind} {plain(finding.message)} ({finding.name})"]
    source = []
    if place.source is not None:
        line = place.source.replace("\t", " ")
        shown, before = plain(line).rstrip(), len(plain(line[: place.caret]))
        if columns is not None and len(shown) + MARGIN > columns:
            room = columns - MARGIN
            start = max(0, min(before - room // 2, len(shown) - room))
            shown, before = shown[start : start + room], before - start
        source = [f"  {finding.line:>4} | {shown}", f"       | {' ' * before}{paint('^', _COLORS[finding.severity])}"]
    more = [
        f"  see {plain(r['file'])}{':' + str(r['line']) if r['line'] is not None else ''}: {plain(r['message'])}" for r in finding.related
    ]
    if finding.help:
        more.append(f"  help: {plain(finding.help)}")
    if columns is not None:
        from ..terminal import fitted

        lines, more = [fitted(line, columns) for line in lines], [fitted(line, columns) for line in more]
    return "\n".join([*lines, *source, *more])
