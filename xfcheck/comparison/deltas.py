"""What a variant costs more or less than the baseline."""

from __future__ import annotations

from typing import Any


def delta(budget: Any, baseline: Any) -> Any:
    """The numbers of a budget minus those of another, in the same nesting; null where either is not known.

    Lists, texts and switches are left out, and so are objects that either does not have (`moe` of a dense model).
    """
    if isinstance(budget, dict) and isinstance(baseline, dict):
        out = {key: delta(value, baseline[key]) for key, value in budget.items() if key in baseline}
        return {key: value for key, value in out.items() if value is not LEFT_OUT}
    known = [value for value in (budget, baseline) if value is not None]
    if not known or any(isinstance(value, bool) or not isinstance(value, int | float) for value in known):
        return LEFT_OUT
    return budget - baseline if len(known) == 2 else None


LEFT_OUT: Any = object()


def at(data: Any, key: str) -> Any:
    """The value at a dotted key, null where there is none."""
    for step in key.split("."):
        data = data.get(step) if isinstance(data, dict) else None
    return data


def ratio(value: Any, of: Any) -> float | None:
    """One number in terms of another, null where either is not known, is no number, or the other is 0."""
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (value, of))
    return value / of if numbers and of else None
