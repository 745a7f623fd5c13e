"""Keys that a command puts over a configuration file (`model.data.train_ds.max_seq_length=4096`, Hydra's `+key=value`), with their places.

Nothing is run: variables count where the script assigns them one plain value.
"""

from __future__ import annotations

import re
from typing import Any

from ..documents.document import Span, escape
from .flags import LONGEST, scalar, uncommented, variables

_OVERRIDE = re.compile(
    r"(?P<lead>^[ \t]*|(?<=\s))(?P<quote>[\"']?)\+{0,2}(?P<name>[A-Za-z_]\w*(?:\.\w+){0,16})="
    r"(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'\\;|&()]+)",
    re.MULTILINE,
)
FAR = 200
"""Characters before which a line must have begun with blanks alone for an assignment to start it."""
COMPONENT = "_component_"
"""The key under which torchtune names what an object is made of."""


def read_overrides(text: str) -> tuple[dict[str, Any], dict[str, Span]]:
    """({key: value, objects below dotted names}, {pointer: span}); empty where no name is dotted: those are assignments of a shell."""
    text = uncommented(text[:LONGEST])
    known = variables(text)
    data: dict[str, Any] = {}
    spans: dict[str, Span] = {"": (-1, -1, 0, min(len(text), 1))}
    dotted = False
    for match in _OVERRIDE.finditer(text):
        name = match["name"]
        if "." not in name and (name.isupper() or _starts(text, match.start("name"))):
            continue
        path = name.split(".")
        inner: Any = data
        for part in path[:-1]:
            inner = _below(inner, part)
        if isinstance(inner.get(path[-1]), dict):
            inner, path = inner[path[-1]], [*path, COMPONENT]
        dotted = dotted or len(path) > 1
        inner[path[-1]] = scalar(match["value"], known)
        _place(spans, path, match)
    return (data, spans) if dotted else ({}, spans)


def _starts(text: str, at: int) -> bool:
    """Whether nothing but blanks stands before it on its line, and that line goes on with no other."""
    first = max(0, at - FAR)
    line = text.rfind("\n", first, at) + 1
    if first and not line:
        return False
    return text[line:at].strip("+ \t\"'") == "" and not text[max(0, line - 3) : line].rstrip("\r\n").endswith("\\")


def _below(inner: dict[str, Any], part: str) -> dict[str, Any]:
    """The object under a key; what was chosen for the whole of it (`dataset=NAME`) is its component."""
    held = inner.get(part)
    if not isinstance(held, dict):
        inner[part] = {} if held is None else {COMPONENT: held}
    below: dict[str, Any] = inner[part]
    return below


def _place(spans: dict[str, Span], path: list[str], match: re.Match[str]) -> None:
    at = (match.start("name"), match.end("name"), *match.span("value"))
    pointer = ""
    for part in path[:-1]:
        pointer += f"/{escape(part)}"
        spans.setdefault(pointer, at)
    spans[f"{pointer}/{escape(path[-1])}"] = at
