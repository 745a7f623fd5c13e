"""One line a finding: `path:line:column: severity CODE message`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plain import line_start, plain

if TYPE_CHECKING:
    from ..linted import Place, Run


def render(run: Run) -> str:
    """The findings, or with `statistics` a count of each rule, and the summary."""
    lines = statistics(run) if run.statistics else [headline(place) for place in run.places()]
    return "".join(f"{line}\n" for line in lines) + ending(run)


def headline(place: Place) -> str:
    """A finding on one line."""
    finding = place.finding
    at = "" if finding.line is None else f":{finding.line}:{finding.column}"
    return f"{line_start(plain(place.path))}{at}: {finding.severity} {finding.code} {plain(finding.message)}"


def statistics(run: Run) -> list[str]:
    """Count, code, severity and name of each rule that found something."""
    rows = run.by_rule()
    wide = max((len(str(row[0])) for row in rows), default=0)
    return [f"{count:>{wide}}  {code}  {severity:<7}  {name}" for count, code, name, severity in rows]


def ending(run: Run) -> str:
    """The notes and the summary; nothing if `quiet`."""
    if run.quiet:
        return ""
    return "".join(f"{line}\n" for line in (*map(plain, run.notes), summary(run)))


def summary(run: Run) -> str:
    """Errors, warnings, infos in words."""
    count = run.counts()
    more = f" ({run.hidden} more not shown; --extend-select ALL shows them)" if run.hidden else ""
    return f"{len(run.files)} checked: {', '.join(plural(n, kind) for kind, n in count.items())}{more}"


def plural(count: int, word: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{count} {word}{'' if count == 1 else 's'}"
