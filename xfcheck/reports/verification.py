"""Checks as text: one line each, what differs in full."""

from __future__ import annotations

from typing import Any

from .plain import plain

SIGNS = {"agreed": "agreed      ", "differs": "DIFFERS     ", "not_verified": "not verified"}


def render(result: dict[str, Any]) -> str:
    """The rows of one path."""
    lines = [f"{plain(result['path'])}: {result['model_type']} ({result['fidelity']})"]
    width = max((len(row["check"]) for row in result["rows"]), default=0)
    for row in result["rows"]:
        both = (
            ""
            if row["got"] is None
            else f" {_said(row['got'])}"
            if row["verdict"] == "agreed"
            else f" expected {_said(row['expected'])}, got {_said(row['got'])}"
        )
        why = f"  ({plain(row['why'])})" if row["why"] else ""
        lines.append(f"  {SIGNS[row['verdict']]}  {row['check']:<{width}}{both}{why}")
    return "\n".join(lines) + "\n"


def _said(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return plain(str(value))
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
