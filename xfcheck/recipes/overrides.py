"""Keys that a command puts over a configuration file (`model.data.train_ds.max_seq_length=4096`, Hydra's `+key=value`), with their places.

Nothing is run: variables count where the script assigns them a plain value.
"""

from __future__ import annotations

import re
from typing import Any

from ..documents.document import Span, escape
from .flags import LONGEST, scalar, uncommented, variables

_OVERRIDE = re.compile(
    r"(?P<lead>^[ \t]*|(?<=\s))(?P<quote>[\"']?)\+{0,2}(?P<name>[A-Za-z_]\w*(?:\.\w+)*)=(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'\\;|&()]+)",
    re.MULTILINE,
)
_CONTINUED = re.compile(r"\\[ \t]*\r?\n[ \t]*\Z")


def read_overrides(text: str) -> tuple[dict[str, Any], dict[str, Span]]:
    """({key: value, objects below dotted names}, {pointer: span}); empty where no name is dotted: those are assignments of a shell."""
    text = uncommented(text[:LONGEST])
    known = variables(text)
    data: dict[str, Any] = {}
    spans: dict[str, Span] = {"": (-1, -1, 0, min(len(text), 1))}
    dotted = False
    for match in _OVERRIDE.finditer(text):
        name = match["name"]
        starts = text[: match.start()].rpartition("\n")[2].strip() == "" and not _CONTINUED.search(text[: match.start("name")])
        if "." not in name and (starts or name.isupper()):
            continue
        path = name.split(".")
        inner: Any = data
        for part in path[:-1]:
            inner = inner.setdefault(part, {}) if isinstance(inner, dict) else None
        if not isinstance(inner, dict) or isinstance(inner.get(path[-1]), dict):
            continue
        dotted = dotted or len(path) > 1
        inner[path[-1]] = scalar(match["value"], known)
        _place(spans, path, match)
    return (data, spans) if dotted else ({}, spans)


def _place(spans: dict[str, Span], path: list[str], match: re.Match[str]) -> None:
    at = (match.start("name"), match.end("name"), *match.span("value"))
    pointer = ""
    for part in path[:-1]:
        pointer += f"/{escape(part)}"
        spans.setdefault(pointer, at)
    spans[f"{pointer}/{escape(path[-1])}"] = at
