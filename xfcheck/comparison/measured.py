"""Measured kernels beside computed costs: the mixers of every variant, timed in one run with rounds that alternate between them.

Torch is imported here, and only where `--measure` asks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..problems import Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..kernels.layers import Problem
    from .compare import Comparison, Entry

MISSING = "--measure needs torch: pip install 'xfcheck[torch]'"
CONTEXT = {"cpu": 512, "cuda": 8192}
"""Tokens that are measured where no context is asked for: on a CPU in seconds."""
PHASES = ("prefill", "decode")
COLUMNS = ("measured.prefill_ms", "measured.prefill_predicted_ms", "measured.decode_ms", "measured.decode_predicted_ms")
"""Columns that `--measure` adds."""


def require() -> None:
    """Raises Usage where nothing can be measured."""
    if find_spec("torch") is None:
        raise Usage(MISSING)


@dataclass
class Part:
    """A mixer of an entry at a length: its case, in how many layers, and its number among all that are measured."""

    phase: str
    name: str
    layers: int
    number: int


@dataclass
class Plan:
    """Different cases of all entries, each measured once, and which of them an entry has."""

    cases: dict[Problem, int] = field(default_factory=dict)
    parts: dict[int, list[Part]] = field(default_factory=dict)
    left: dict[int, list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, key: int, each: Entry, dtype: str, context: int) -> None:
        """All mixers of an entry, in both phases."""
        from ..kernels.layers import Lengths, layers, placed_at

        if each.draft is None:
            return
        options = each.draft.options
        cases, self.left[key] = layers(each.draft.model.architecture, dtype)
        self.parts[key] = []
        for phase in PHASES:
            for case in cases:
                there = placed_at(case, Lengths(phase, options.batch, context, source=options.source))
                if there is not None:
                    number = self.cases.setdefault(replace(there, layers=1), len(self.cases))
                    self.parts[key].append(Part(phase, case.variant, case.layers, number))


def measure(comparisons: Sequence[Comparison], seconds: float) -> None:
    """Give every entry that has a budget a `measured` object (see `_object`). Raises Usage where torch is missing."""
    require()
    from ..kernels.machine import device, pin
    from ..kernels.measure import Request, begin, run

    where = device(None)
    cores = pin(None) if where.type == "cpu" else []
    entries = [each for comparison in comparisons for each in comparison.costed]
    if not entries:
        return
    dtype = "float32" if where.type == "cpu" else "bfloat16"
    asked = entries[0].draft.options.context if entries[0].draft is not None else None
    context = asked or CONTEXT[where.type]
    plan = Plan()
    for key, each in enumerate(entries):
        plan.add(key, each, dtype, context)
    session = begin(Request((context,), PHASES, 1, 1, dtype, budget_seconds=seconds), where, cores)
    # torch's own choice is one of the others, and attention written out is never the quickest
    session.backends = [b for b in session.backends if not b.watched and b.name != "eager"]
    numbered = [replace(case, variant=str(number)) for case, number in plan.cases.items()]
    run(session, iter([([c for c in numbered if c.phase == phase], "forward") for phase in reversed(PHASES)]))
    common = {"device": session.device, "dtype": dtype, "context": context, "stopped": session.stopped}
    for key, each in enumerate(entries):
        each.more["measured"] = {**common, **_object(plan, key, session.rows, session.refused)}


def _object(plan: Plan, key: int, rows: list[dict[str, Any]], refused: list[dict[str, Any]]) -> dict[str, Any]:
    """The mixers of an entry as they were measured.

    `prefill_ms` and `decode_ms`: all of them, each in its quickest kernel, times its layers; of latent attention the quicker form.
    `..._predicted_ms`: the same of the roofline. Null where a mixer has no figure; `rows` says which kernels were taken.
    """
    out: dict[str, Any] = {"rows": [], "not_measured": plan.left.get(key, [])}
    for phase in PHASES:
        sums: dict[str, list[dict[str, Any] | None]] = {}
        for part in plan.parts.get(key, []):
            if part.phase == phase:
                there = [row for row in rows if row["variant"] == str(part.number)]
                best = min(there, key=lambda row: row["median_ms"], default=None)
                named = None if best is None else {**best, "variant": part.name, "layers": part.layers}
                sums.setdefault(part.name if part.name.startswith("mla ") else "", []).append(named)
        chosen = _chosen(sums)
        whole = chosen is not None and not plan.left.get(key) and bool(chosen)
        out[f"{phase}_ms"] = _total(chosen, "median_ms") if whole else None
        out[f"{phase}_predicted_ms"] = _total(chosen, "roofline_ms") if whole else None
        out["rows"] += [row for forms in sums.values() for row in forms if row is not None]
    numbers = {str(part.number) for part in plan.parts.get(key, [])}
    out["refused"] = [row for row in refused if row["variant"] in numbers]
    return out


def _chosen(sums: dict[str, list[dict[str, Any] | None]]) -> list[dict[str, Any]] | None:
    """Rows whose times add up: those without alternatives, and the quicker form of latent attention; null where one is missing."""
    forms = [_whole(rows) for name, rows in sums.items() if name]
    known = [rows for rows in forms if rows is not None]
    plain = _whole(sums.get("", []))
    if plain is None or (forms and not known):
        return None
    quicker: list[dict[str, Any]] = min(known, key=lambda rows: _total(rows, "median_ms"), default=[])
    return [*plain, *quicker]


def _whole(rows: list[dict[str, Any] | None]) -> list[dict[str, Any]] | None:
    known = [row for row in rows if row is not None]
    return known if len(known) == len(rows) else None


def _total(rows: list[dict[str, Any]] | None, key: str) -> float:
    return float(sum(row[key] * row["layers"] for row in rows or ()))
