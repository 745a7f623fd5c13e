"""Budget assertions: `parameters.total <= 8.1e9` on any dotted key of the JSON."""

from __future__ import annotations

import operator
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ..problems import Usage
from .units import amount

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
PATTERN = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*(<=|>=|==|!=|<|>)\s*(.+?)\s*")


class Assertion(NamedTuple):
    """A key, a comparison and a bound; `text` as it was given. `bound` is a number, or text for keys that hold text."""

    text: str
    key: str
    comparison: str
    bound: Fraction | str


def parse(text: str) -> Assertion:
    """Read an assertion. Raises Usage for anything else than `key comparison value`."""
    found = PATTERN.fullmatch(text)
    if found is None:
        raise Usage(f"--assert {text!r} is not of the form 'parameters.total <= 8.1e9'")
    try:
        bound: Fraction | str = amount(found[3])
    except ValueError as error:
        if found[2] not in ("==", "!=") or found[3][0].isdigit():
            raise Usage(f"--assert {text!r}: {error}") from error
        bound = found[3].strip("'\"")
    return Assertion(text.strip(), found[1], found[2], bound)


def judge(assertion: Assertion, result: dict[str, Any]) -> dict[str, Any]:
    """Whether it holds of a result, with the value and the margin.

    The margin is how far the value is from the bound, as a number and as a share of the bound.

    A value that is not known (null) does not hold. Raises Usage for a key that the result does not have.
    """
    value = lookup(result, assertion.key)
    out: dict[str, Any] = {"assertion": assertion.text, "value": value, "holds": False, "margin": None, "margin_share": None}
    if value is None:
        return out
    if isinstance(value, (str, bool)) and (not isinstance(assertion.bound, str) or assertion.comparison not in ("==", "!=")):
        near = _nearest(assertion.key, _keys(result, of=(int, float)))
        raise Usage(f"--assert {assertion.text!r}: {assertion.key} is {value!r}, no number" + near)
    if isinstance(assertion.bound, str) or isinstance(value, (str, bool)):
        out["holds"] = OPERATORS[assertion.comparison](str(value), str(assertion.bound)) if assertion.comparison in ("==", "!=") else False
        return out
    if not isinstance(value, (int, float)):
        below = [key for key in _keys(result, of=(int, float)) if key.startswith(f"{assertion.key}.")][:3]
        near = f"; did you mean {' or '.join(map(repr, below))}?" if below else _nearest(assertion.key, _keys(result, of=(int, float)))
        raise Usage(f"--assert {assertion.text!r}: {assertion.key} is no number" + near)
    margin = assertion.bound - Fraction(value) if assertion.comparison in ("<=", "<", "==", "!=") else Fraction(value) - assertion.bound
    out["holds"] = OPERATORS[assertion.comparison](Fraction(value), assertion.bound)
    out["margin"] = int(margin) if margin.denominator == 1 else float(margin)
    out["margin_share"] = round(float(margin / assertion.bound), 6) if assertion.bound else None
    return out


def lookup(result: Any, key: str) -> Any:
    """The value under a dotted key; a number is a place in a list. Raises Usage with the nearest key for one that is not there."""
    at = result
    for step in key.split("."):
        if at is None:
            return None
        if isinstance(at, list) and step.isdecimal() and int(step) < len(at):
            at = at[int(step)]
        elif isinstance(at, dict) and step in at:
            at = at[step]
        else:
            raise Usage(f"the budget has no key {key!r}" + _nearest(key, _keys(result), 1))
    return at


def said(path: str, judged: dict[str, Any]) -> str:
    """The outcome in a line: `config.json: parameters.total <= 8B broken: 8,030,261,248 is 30,261,248 (0.4%) past it`."""
    state = "holds" if judged["holds"] else "broken"
    value = judged["value"]
    if value is None:
        return f"{path}: {judged['assertion']} {state}: the value is not known"
    shown = f"{value:,}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
    if judged["margin"] is None:
        return f"{path}: {judged['assertion']} {state}: it is {shown}"
    margin, share = judged["margin"], judged["margin_share"]
    percent = "" if share is None else f" ({abs(share):.1%})"
    side = "left" if margin >= 0 and judged["holds"] else "past it" if margin < 0 else "apart"
    return f"{path}: {judged['assertion']} {state}: {shown}, {abs(margin):,}{percent} {side}"


def _nearest(key: str, known: list[str], count: int = 3) -> str:
    from difflib import get_close_matches

    near = get_close_matches(key, known, count, cutoff=0.4)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


def _keys(value: Any, before: str = "", of: tuple[type, ...] = (object,)) -> list[str]:
    """Dotted keys of everything inside; `of`: of values of these types alone."""
    own = [before] if isinstance(value, of) and not isinstance(value, bool if of != (object,) else ()) else []
    if not isinstance(value, dict):
        return own
    return [*own, *(found for key, inner in value.items() for found in _keys(inner, f"{before}.{key}" if before else str(key), of))]
