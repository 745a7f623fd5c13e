"""A summary in GitHub-flavoured Markdown: counts, and a table of the findings, errors first.

Nothing from a file is markup: punctuation is escaped, addresses do not become links, `@name` and `#1` do not become mentions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...rules._finding import LEVELS
from ..plain import plain
from .concise import plural

if TYPE_CHECKING:
    from ..linted import Place, Run

ROWS, CELL = 200, 400
"""Rows and characters of a cell that are shown: a step summary takes one megabyte."""
_PUNCTUATION = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|[\\`*\[\]<>#!|~$&@^]|:(?=\w|//)|(?<=www)\.", re.IGNORECASE)


def render(run: Run) -> str:
    """The summary."""
    count = run.counts()
    word = "no findings" if not any(count.values()) else ", ".join(plural(n, kind) for kind, n in count.items() if n)
    lines = ["### xfcheck", "", f"{plural(len(run.files), 'config')} checked: {word}.", ""]
    if run.statistics:
        lines += _table(("count", "rule", "severity"), [(str(n), f"{code} {name}", severity) for n, code, name, severity in run.by_rule()])
    else:
        places = sorted(run.places(), key=lambda place: -LEVELS[place.finding.severity])
        lines += _table(("", "rule", "where", "what"), [_row(place) for place in places[:ROWS]])
        if len(places) > ROWS:
            lines += [f"{len(places) - ROWS} more findings are not in this table.", ""]
    lines += [f"- {escaped(text)}" for text in (*run.problems, *run.notes)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    if not rows:
        return []
    return [f"| {' | '.join(head)} |", "|" + " --- |" * len(head), *(f"| {' | '.join(row)} |" for row in rows), ""]


def _row(place: Place) -> tuple[str, ...]:
    finding = place.finding
    at = "" if finding.line is None else f":{finding.line}"
    what = escaped(finding.message) + (f"<br>{escaped(finding.help)}" if finding.help else "")
    return finding.severity, f"{finding.code}<br>{finding.name}", escaped(place.path) + at, what


def escaped(text: str) -> str:
    """A text that renders as itself, as character references."""
    text = plain(text)
    shown = _PUNCTUATION.sub(lambda found: f"&#{ord(found[0])};", text if len(text) <= CELL else text[: CELL - 1] + "…")
    # references are read before mentions are looked for: a character of no width keeps them apart
    return re.sub(r"(&#64;|&#35;)(?=\w)", "\\1\u200b", shown)
