"""The JSON documents around what commands answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

SCHEMA_VERSION = 1


def stamped(body: dict[str, Any]) -> dict[str, Any]:
    """An element with the schema's and the tool's version in front."""
    return {"schema_version": SCHEMA_VERSION, "tool_version": __version__, **body}


def document(results: Iterable[dict[str, Any]], key: str = "results", **more: Any) -> str:
    """One JSON document of all elements."""
    return json.dumps(stamped({key: list(results), **more}), indent=2, ensure_ascii=False, allow_nan=False)


def line(result: dict[str, Any]) -> str:
    """One element as a line."""
    return json.dumps(stamped(result), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
