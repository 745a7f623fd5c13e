"""The flags of a command line or a shell script as keys, with their places.

Nothing is run: variables count where the script assigns them one plain value. Commands that train nothing are left out.
"""

from __future__ import annotations

import re
from typing import Any

from ..documents.core_schema import plain_scalar
from ..documents.document import Span, escape
from .recipe import UNKNOWN

_FLAG = re.compile(
    r"(?:(?<=\s)|(?<=[(\"'])|^)--(?P<name>[A-Za-z][\w.-]*)"
    r"(?:(?:=|(?:[ \t]|\\\r?\n)+)(?P<value>\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?!-)[^\s\"'\\;|&<>()]+|-\d[\d.e-]*))?",
    re.MULTILINE,
)
_ASSIGNED = re.compile(
    r"^[ \t]*(?:(?:export|local|readonly|declare)[ \t]+)?(?P<name>[A-Za-z_]\w*)="
    r"(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s\"';()]*)(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_VARIABLE = re.compile(r"\$(?:\{(?P<braced>\w+)(?::-(?P<default>[^}]*))?\}|(?P<plain>\w+))")
_OTHER = re.compile(
    r"\bswift[ \t]+(?:infer|export|eval|deploy|app|web-ui|sample|rollout)\b|\bvllm[ \t]+serve\b|\blm_eval\b|"
    r"\bllamafactory-cli[ \t]+(?:chat|webchat|api|export|eval|webui)\b|"
    r"\b(?:convert|preprocess|merge|export|infer|eval|generate|text_generation|run_text_generation|gpt_static_inference)\w*\.py\b"
)
"""Commands that train nothing: their flags are none of the recipe's."""
_LINE = re.compile(r"(?:[^\n\\]|\\\r?\n|\\.)+")
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
    """The script with blanks for its comments and for commands that train nothing, so that places stay."""
    text = _COMMENT.sub(_blank, text)
    return _LINE.sub(lambda m: _blank(m) if _OTHER.search(m[0]) else m[0], text) if _OTHER.search(text) else text


def _blank(match: re.Match[str]) -> str:
    return "".join(c if c in "\r\n" else " " for c in match[0])


def variables(text: str) -> dict[str, str]:
    """Variables of a shell and the value that the script assigns them: one that is written out, or a default that is (`${1:-8}`)."""
    known: dict[str, str] = {}
    several: set[str] = set()
    for match in _ASSIGNED.finditer(text):
        name, rest = match["name"], match["rest"].strip()
        if rest and not rest.startswith((";", "&&", "\\")):
            continue  # the environment of a command, or an array
        value = _resolved(match["value"], known)
        if value is None or known.get(name, value) != value:
            several.add(name)
        else:
            known[name] = value
    return {name: value for name, value in known.items() if name not in several}


def _resolved(raw: str, known: dict[str, str]) -> str | None:
    """The text of a value with its variables written out, null where one is not known."""
    plain = raw[1:-1] if raw[:1] in ("'", '"') else raw
    if raw[:1] == "'":
        return plain
    plain = _VARIABLE.sub(lambda m: known.get(m["braced"] or m["plain"], m["default"] or m[0]), plain)
    return None if "$" in plain or "`" in plain else plain


def scalar(raw: str, known: dict[str, str]) -> Any:
    """A scalar as YAML's core schema reads it; UNKNOWN where it rests on a variable that is not known."""
    plain = _resolved(raw, known)
    if plain is None:
        return UNKNOWN
    try:
        return plain_scalar(plain)
    except ValueError:  # an integer of more digits than any setting has
        return plain
