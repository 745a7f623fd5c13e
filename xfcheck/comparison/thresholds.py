"""Conditions under which a comparison fails: for pull requests."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ..accounting.assertions import OPERATORS, lookup
from ..accounting.units import amount
from ..problems import Usage
from .deltas import delta

if TYPE_CHECKING:
    from .compare import Comparison, Entry

CONDITION = re.compile(r"\s*(?:(delta|ratio)\.)?([A-Za-z_][\w.-]*)\s*(<=|>=|==|!=|<|>)\s*(.+?)\s*(%?)\s*")


class Threshold(NamedTuple):
    """`delta.parameters.total > 5%`: a key of the budget, an operator and a number.

    `kind`: the number itself, its difference from the baseline's (`delta`), or its ratio to it (`ratio`).
    A percentage is of the baseline's value.
    """

    text: str
    kind: str
    key: str
    operator: str
    bound: Fraction
    percent: bool

    def met(self, each: Entry, comparison: Comparison) -> bool:
        """Whether it holds for an entry. Raises Usage where a budget has no such number."""
        base = _number(lookup(comparison.baseline.budget, self.key), self)
        value = _number(lookup(each.budget, self.key), self)
        if self.kind == "delta":
            value = _number(lookup(delta(each.budget, comparison.baseline.budget), self.key), self)
        if self.kind == "ratio" or self.percent:
            if not base:
                return bool(value) and self.operator in (">", ">=", "!=")
            value = value / base * (100 if self.percent else 1)
        return OPERATORS[self.operator](value, self.bound)


def _number(value: Any, asked: Threshold) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Usage(f"--fail-if {asked.text!r}: {asked.key} is {'not known' if value is None else 'no number'}")
    return Fraction(value)


def threshold(text: str) -> Threshold:
    """Read a condition. Raises Usage where it is none."""
    found = CONDITION.fullmatch(text)
    if found is None:
        raise Usage(f"--fail-if {text!r}: write for instance 'delta.parameters.total > 5%' or 'cache.bytes > 2GiB'")
    kind, key, operator, number, percent = found.groups()
    if percent and kind == "ratio":
        raise Usage(f"--fail-if {text!r}: a ratio is no percentage; 1.05 is 5% more")
    try:
        return Threshold(text.strip(), kind or "", key, operator, amount(number), bool(percent))
    except ValueError as error:
        raise Usage(f"--fail-if {text!r}: {error}") from error


def broken(comparison: Comparison, thresholds: list[Threshold]) -> list[tuple[str, str]]:
    """(name, condition) of every entry but the baseline for which a condition holds."""
    others = [e for e in comparison.costed if e is not comparison.baseline]
    return [(e.name, t.text) for e in others for t in thresholds if t.met(e, comparison)]
