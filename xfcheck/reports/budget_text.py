"""The budget for a reader."""

from __future__ import annotations

from typing import Any


def render(result: dict[str, Any], *, verbose: bool = False) -> str:
    """The budget in a dozen lines."""
    return f"{result['path']}  {result['parameters']['total']}\n"
