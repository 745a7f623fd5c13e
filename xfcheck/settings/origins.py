"""Settings as rows of key, value and origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..reports.linted import relative
from ..reports.plain import plain

if TYPE_CHECKING:
    from .discovery import Settings


def rows(settings: Settings) -> list[dict[str, Any]]:
    """One row a key: `origin` is `file:line`, or "default"."""
    ignores = {p.pattern: {"codes": list(p.codes), "reason": p.reason} for p in settings.per_file_ignores}
    values: dict[str, Any] = {
        "select": None if settings.select is None else list(settings.select),
        "extend-select": list(settings.extend_select),
        "ignore": list(settings.ignore),
        "severities": dict(settings.severities),
        "per-file-ignores": ignores,
        "fail-on": settings.fail_on,
        "exclude": list(settings.exclude),
        "budget.assert": list(settings.budget_assert),
        "targets.engine": settings.engine,
        "targets.readers": None if settings.readers is None else list(settings.readers),
    }
    return [{"key": key, "value": value, "origin": _origin(settings, key)} for key, value in values.items()]


def _origin(settings: Settings, key: str) -> str:
    lines = dict(settings.lines)
    if settings.file is None or key not in lines:
        return "default"
    line = lines[key]
    return plain(relative(settings.file)) + ("" if line is None else f":{line}")
