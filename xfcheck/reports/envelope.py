"""The JSON documents around what commands answer."""

from __future__ import annotations

import json
from math import isfinite
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
    return _dumped(stamped({key: list(results), **more}), indent=2)


def line(result: dict[str, Any]) -> str:
    """One element as a line."""
    return _dumped(stamped(result), separators=(",", ":"))


def _dumped(body: dict[str, Any], **how: Any) -> str:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False, **how)
    except ValueError:
        return json.dumps(_spelt(body), ensure_ascii=False, allow_nan=False, **how)


def _spelt(value: Any) -> Any:
    """The value with the numbers that JSON does not have, which a file may hold all the same, as Python's words for them."""
    if isinstance(value, dict):
        return {key: _spelt(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_spelt(each) for each in value]
    return json.dumps(value) if isinstance(value, float) and not isfinite(value) else value
