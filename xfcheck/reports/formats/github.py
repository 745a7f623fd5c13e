"""Workflow commands of GitHub Actions: annotations in a pull request.

GitHub shows ten of a kind and step: the first ten are annotations, the rest are lines of the log, and it is said how many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plain import plain
from .concise import ending, headline

if TYPE_CHECKING:
    from ..linted import Place, Run

CAP = 10
KINDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(run: Run) -> str:
    """Annotations by severity, then what is over the cap, then the summary."""
    lines: list[str] = []
    for severity, kind in KINDS.items():
        places = [place for place in run.places() if place.finding.severity == severity]
        lines += [_annotation(place, kind) for place in places[:CAP]]
        if len(places) > CAP:
            lines.append(f"{len(places) - CAP} more of kind {kind} than the {CAP} annotations that are shown of a step:")
            lines += [f"  {headline(place)}" for place in places[CAP:]]
    return "".join(f"{line}\n" for line in lines) + ending(run)


def _annotation(place: Place, kind: str) -> str:
    finding = place.finding
    properties = [("file", place.path)]
    if finding.line is not None:
        properties += [("line", str(finding.line)), ("col", str(finding.column))]
    properties.append(("title", f"{finding.code} {finding.name}"))
    text = finding.message + (f" ({finding.help})" if finding.help else "")
    return f"::{kind} {','.join(f'{key}={_property(value)}' for key, value in properties)}::{_data(text)}"


def _data(text: str) -> str:
    return plain(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
