"""The flags of a command line or a shell script as keys, with their places.

Nothing is run: variables count where the script assigns them a plain value.
"""

from __future__ import annotations

import re
from typing import Any

from ..documents.core_schema import plain_scalar
from ..documents.document import Span, escape

_FLAG = re.compile(
    r"(?:(?<=\s)|(?<=[(\"'])|^)--(?P<name>[A-Za-z][\w.-]*)"
    r"(?:(?:=|(?:[ \t]|\\\r?\n)+)(?P<value>\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?!-)[^\s\"'\\;|&<>()]+|-\d[\d.e-]*))?",
    re.MULTILINE,
)
_ASSIGNED = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_]\w*)=(?P<value>\"[^\"$`\n]*\"|'[^'\n]*'|[^\s\"'$`;()]+)[ \t]*(?:#.*)?$", re.MULTILINE
)
_VARIABLE = re.compile(r"\$(?:\{(?P<braced>\w+)(?::-(?P<default>[^}]*))?\}|(?P<plain>\w+))")
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*")
LONGEST = 500_000
"""Characters of a script that are looked at."""


def read_flags(text: str) -> tuple[dict[str, Any], dict[str, Span]]:
    """({flag without its dashes: value}, {pointer: span}); a flag without a value is true, the last one of a name counts."""
    text = uncommented(text[:LONGEST])
    known = variables(text)
    data: dict[str, Any] = {}
    spans: dict[str, Span] = {"": (-1, -1, 0, min(len(text), 1))}
    for match in _FLAG.finditer(text):
        name, raw = match["name"], match["value"]
        start, end = match.span("value") if raw is not None else match.span("name")
        data[name] = True if raw is None else scalar(raw, known)
        spans[f"/{escape(name)}"] = (match.start("name"), match.end("name"), start, end)
    return data, spans


def uncommented(text: str) -> str:
    """The script with blanks for its comments, so that places stay."""
    return _COMMENT.sub(lambda m: " " * len(m[0]), text)


def variables(text: str) -> dict[str, str]:
    """Variables of a shell and the plain values that the script assigns them; the last one of a name counts."""
    return {m["name"]: m["value"].strip("\"'") for m in _ASSIGNED.finditer(text)}


def scalar(raw: str, known: dict[str, str]) -> Any:
    """A scalar as YAML's core schema reads it; a text where it rests on a variable that is not known."""
    single = raw[:1] == "'"
    plain = raw[1:-1] if raw[:1] in ("'", '"') else raw
    if not single:
        plain = _VARIABLE.sub(lambda m: known.get(m["braced"] or m["plain"], m["default"] or m[0]), plain)
    try:
        return plain_scalar(plain)
    except ValueError:  # an integer of more digits than any setting has
        return plain
