"""Tables of what the tool knows: rules, families, devices."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..problems import Usage
from .envelope import stamped

if TYPE_CHECKING:
    from collections.abc import Sequence


def listing(key: str, rows: Sequence[dict[str, Any]], how: str, columns: Sequence[str]) -> str:
    """Rows as aligned text of some columns, as one JSON document under `key`, or a line each. Raises Usage for another format."""
    if how == "json":
        return json.dumps(stamped({key: list(rows)}), indent=2, ensure_ascii=False) + "\n"
    if how == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    if how != "text":
        raise Usage(f"unknown format {how!r}; one of text, json, jsonl")
    cells = [[str("" if row[c] is None else row[c]) for c in columns] for row in rows]
    widths = [max((len(line[i]) for line in cells), default=0) for i in range(len(columns))]
    return "".join("  ".join(f"{cell:<{w}}" for cell, w in zip(line, widths, strict=True)).rstrip() + "\n" for line in cells)
