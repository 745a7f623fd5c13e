"""Costs side by side: the variants of one config, or several configs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..problems import Refused, Usage
from .crossovers import crossovers
from .deltas import at, delta, ratio
from .validity import errors
from .variants import cost, varied

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .axes import Variation
    from .draft import Draft

WRITTEN = "as written"
"""Name of the config as it stands, where it is what variants are compared with."""


OWN = ("crossovers", "settled", "measured")
"""What an entry has beside its budget, each with keys that can be columns."""


@dataclass
class Entry:
    """One thing that is compared: its name, and its draft with its budget, or why there is none."""

    name: str
    draft: Draft | None = None
    budget: dict[str, Any] = field(default_factory=dict)
    refused: Refused | Usage | None = None
    more: dict[str, Any] = field(default_factory=dict)

    def value(self, key: str) -> Any:
        """The value of a column: a dotted key of the budget, or the comparison's own `crossovers.NAME`, `settled.NAME`, `measured.NAME`."""
        first, _, rest = key.partition(".")
        own = self.more.get(first, {}) if first in OWN else {}
        return own[rest] if rest in own else at(self.budget, key)

    @property
    def error(self) -> dict[str, Any]:
        """The error object of what was refused."""
        if isinstance(self.refused, Refused):
            return {"code": self.refused.code, "message": self.refused.message, "pointer": self.refused.pointer, "help": self.refused.help}
        return {"code": "usage", "message": str(self.refused), "pointer": "", "help": None}


@dataclass
class Comparison:
    """`entries` in order, and what they are compared with: the first of them, or the config as written beside them."""

    path: str
    baseline: Entry
    entries: list[Entry]

    @property
    def shown(self) -> list[Entry]:
        """The baseline and all entries, each once."""
        return self.entries if any(e is self.baseline for e in self.entries) else [self.baseline, *self.entries]

    @property
    def costed(self) -> list[Entry]:
        """Those of `shown` that have a budget."""
        return [e for e in self.shown if e.draft is not None]


def entry(name: str, draft: Draft) -> Entry:
    """A draft with its budget and its crossovers."""
    spent = cost(draft)
    return Entry(name, draft, spent, more={"crossovers": crossovers(draft, spent)})


def variants(
    base: Draft, asked: Sequence[Variation], *, keep: str | None = None, multiple: int = 1, baseline: str | None = None
) -> Comparison:
    """The variants of one config, compared with the first that is possible.

    One alone is compared with the config as written, and so is everything that d_ff was solved for.
    `baseline` names another. A variation that makes no valid architecture becomes an entry with the reason.
    """
    known = errors(base.model.folder, base.model.architecture)
    out: list[Entry] = []
    for variation in asked:
        try:
            draft = varied(base, variation, known, keep, multiple)
            made = entry(variation.name, draft)
            made.more.update(
                {"written_as": "description" if draft.native else "config", **({"settled": dict(draft.settled)} if draft.settled else {})}
            )
            out.append(made)
        except (Refused, Usage) as reason:
            out.append(Entry(variation.name, refused=reason))
    if out and all(isinstance(e.refused, Usage) for e in out):
        raise out[0].refused  # type: ignore[misc]
    path = base.model.folder.path
    made_ones = [e for e in out if e.draft is not None]
    if baseline is None and len(asked) > 1 and keep is None and made_ones:
        return Comparison(path, made_ones[0], out)
    if baseline in (None, WRITTEN):
        return Comparison(path, entry(WRITTEN, base), out)
    chosen = next((e for e in made_ones if e.name == baseline), None)
    if chosen is None:
        raise Usage(f"--baseline {baseline}: one of {', '.join(repr(e.name) for e in made_ones)} or {WRITTEN!r}")
    return Comparison(path, chosen, out)


def element(comparison: Comparison, columns: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON object of a comparison: numbers exact; `ratio` is of the columns that are shown."""
    base = comparison.baseline
    out: dict[str, Any] = {"path": comparison.path, "baseline": base.name, "baseline_budget": base.budget, "variants": []}
    if "measured" in base.more:
        out["baseline_measured"] = base.more["measured"]
    for each in comparison.entries:
        if each.draft is None:
            out["variants"].append({"name": each.name, "error": each.error})
            continue
        ratios = {key: ratio(each.value(key), base.value(key)) for key in columns}
        out["variants"].append(
            {"name": each.name, "budget": each.budget, "delta": delta(each.budget, base.budget), "ratio": ratios, **each.more}
        )
    return out
