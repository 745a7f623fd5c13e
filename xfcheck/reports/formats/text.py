"""For people: each finding with the line it is about, a caret, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plain import line_start, plain
from .concise import ending, statistics

if TYPE_CHECKING:
    from ..linted import Place, Run

_COLORS = {"error": "31", "warning": "33", "info": "36"}


def render(run: Run) -> str:
    """The findings, or with `statistics` a count of each rule, and the summary."""
    lines = statistics(run) if run.statistics else [_finding(place, color=run.color) for place in run.places()]
    return "".join(f"{line}\n" for line in lines) + ending(run)


def _finding(place: Place, *, color: bool) -> str:
    finding = place.finding

    def paint(text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if color else text

    at = "" if finding.line is None else f":{finding.line}:{finding.column}"
    kind = paint(f"{finding.severity} {finding.code}", f"1;{_COLORS[finding.severity]}")
    lines = [f"{paint(line_start(plain(place.path)), '1')}{at}: {kind} {plain(finding.message)} ({finding.name})"]
    if place.source is not None:
        shown, before = plain(place.source).rstrip(), len(plain(place.source[: place.caret]))
        lines += [f"  {finding.line:>4} | {shown}", f"       | {' ' * before}{paint('^', _COLORS[finding.severity])}"]
    lines += [
        f"  see {plain(r['file'])}{':' + str(r['line']) if r['line'] is not None else ''}: {plain(r['message'])}" for r in finding.related
    ]
    if finding.help:
        lines.append(f"  help: {plain(finding.help)}")
    return "\n".join(lines)
