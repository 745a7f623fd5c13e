"""Which findings are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..problems import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._registry import Rule

PLUMBING = ("XF900", "XF901", "XF905")
"""Codes that no selection hides: what they say makes the rest unreliable."""


class Selection(NamedTuple):
    """Prefixes of codes (`XF3`, `XF602`, `ALL`). The longest matching prefix wins; `ignore` beats `select` of equal length.

    `select` null: the rules' own defaults (errors and warnings, and the infos that are on). `severities`: (code or prefix, another
    severity); a code that has one is on.
    """

    select: tuple[str, ...] | None = None
    extend: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severities: tuple[tuple[str, str], ...] = ()

    def severity(self, code: str, given: str) -> str:
        """The severity of a finding: the one set for the longest prefix of its code, else what its rule gave."""
        fitting = [(len(_plain(p)), level) for p, level in self.severities if code.startswith(_plain(p))]
        return max(fitting, key=lambda pair: pair[0])[1] if fitting else given

    def shows(self, code: str, severity: str, *, on: bool) -> bool:
        """Whether a finding of that code and severity is reported. `on`: its rule's infos are on by default."""
        if code in PLUMBING:
            return True
        chosen = max((len(_plain(p)) for p in (*(self.select or ()), *self.extend) if code.startswith(_plain(p))), default=-1)
        if chosen < 0 and self.select is None and (severity != "info" or on):
            chosen = 0
        left = max((len(_plain(p)) for p in self.ignore if code.startswith(_plain(p))), default=-1)
        return chosen > left

    def runs(self, rule: Rule) -> bool:
        """Whether any finding of the rule could be reported (or counted)."""
        return self.select is None or any(rule.code.startswith(_plain(p)) for p in (*self.select, *self.extend))


def _plain(prefix: str) -> str:
    return "" if prefix.upper() == "ALL" else prefix.upper()


def parse(texts: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Prefixes from flags (`XF1,XF602`). Raises Usage for one that no code begins with, with the nearest."""
    codes = (*known, *PLUMBING, "XF906")
    out = []
    for piece in (p.strip() for text in texts for p in text.split(",")):
        if not piece:
            continue
        if piece.upper() != "ALL" and not any(code.startswith(piece.upper()) for code in codes):
            from difflib import get_close_matches

            near = get_close_matches(piece.upper(), codes, 1)
            raise Usage(f"no rule code begins with {piece!r}" + (f"; did you mean {near[0]}?" if near else ""))
        out.append(piece.upper())
    return tuple(out)
