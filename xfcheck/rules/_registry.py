"""Rules by code: an index that tells which rule modules a config needs, and the decorator that makes a function a rule."""

from __future__ import annotations

import functools
import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ._context import Context
    from ._finding import Hit

    Check = Callable[[Context], Iterable[Hit]]
    F = TypeVar("F", bound=Check)


class Rule(NamedTuple):
    """A rule as the index knows it.

    `severity` is its strongest default; `needs` are the facts of which one must be present for the rule's module to be imported: a config
    key at any depth, `file:NAME` (a side file), `yaml:SECTION` (of xfcheck.yaml), `always`. `module` is below `xfcheck.rules`.
    """

    code: str
    name: str
    severity: str
    status: str
    module: str
    needs: tuple[str, ...]
    on: bool


SHOWN = 6
"""Rules that a message lists."""

CHECKS: dict[str, tuple[Rule, Check]] = {}
"""Rules whose modules were imported, by code."""


def rule(code: str, name: str, severity: str, *, needs: Iterable[str], status: str = "stable", on: bool | None = None) -> Callable[[F], F]:
    """Make a generator of hits a rule. `name` reads as "allow NAME"; `on` null: errors and warnings are on by default, infos are not."""

    def register(check: F) -> F:
        shown = severity != "info" if on is None else on
        CHECKS[code] = Rule(code, name, severity, status, check.__module__.removeprefix(f"{__package__}."), tuple(needs), shown), check
        return check

    return register


@functools.cache
def index() -> dict[str, Rule]:
    """Every rule by code, from the generated `_index.json` (scripts/rule_index.py): no rule module is imported."""
    raw = json.loads(Path(__file__).with_name("_index.json").read_bytes())
    return {row[0]: Rule(row[0], row[1], row[2], row[3], row[4], tuple(row[5]), row[6]) for row in raw}


def check_of(code: str) -> Check:
    """The function of a rule, its module imported on first use."""
    if code not in CHECKS:
        import_module(f"{__package__}.{index()[code].module}")
    return CHECKS[code][1]


def documentation(code: str) -> str:
    """The module docstring of a rule: its page."""
    if code not in index():
        from ._plumbing import PAGES

        return PAGES[code]
    return import_module(f"{__package__}.{index()[code].module}").__doc__ or ""


def find(text: str) -> Rule:
    """The rule of that code or name (with `-` or `_`). Raises Usage for none, with those that begin like it, hold it, or are nearest."""
    from ..problems import Usage
    from ._plumbing import RULES

    known = {**index(), **RULES}
    by_name = {rule.name: rule for rule in known.values()}
    code, name = text.upper(), text.lower().replace("_", "-")
    found = known.get(code) or by_name.get(name)
    if found is None:
        like = sorted(c for c, rule in known.items() if text and (c.startswith(code) or name in rule.name))
        if like:
            shown = ", ".join(f"{c} {known[c].name}" for c in like[:SHOWN])
            more = f" and {len(like) - SHOWN} more, which `xfcheck rules` lists" if len(like) > SHOWN else ""
            raise Usage(f"no rule {text!r}; like it are {shown}{more}")
        from difflib import get_close_matches

        group = [c for c in known if c.startswith(code[:3])] if code.startswith("XF") else []
        near = get_close_matches(code, sorted(group) or known, 1) or get_close_matches(name, by_name, 1)
        raise Usage(f"no rule {text!r}" + (f"; did you mean {near[0]}?" if near else "; `xfcheck rules` lists them"))
    return found
