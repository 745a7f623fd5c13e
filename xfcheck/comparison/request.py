"""What a comparison is asked for, checked before anything is read; and the comparisons of a list of paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..model import load
from ..problems import Refused, Usage
from .axes import variations
from .compare import OWN, Comparison, Entry, entry, variants
from .deltas import at
from .differences import changes
from .draft import Draft
from .revisions import names_revision, open_revision
from .solve import KEEPS
from .thresholds import broken, threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..accounting.budget import Options
    from ..documents.folder import ModelFolder

FORMATS = ("text", "markdown", "json", "jsonl", "csv")
KINDS = ("cache", "flops", "parameters", "memory", "roofline")
"""Plots (`reports.comparison_plots`)."""


class Asked(NamedTuple):
    """The flags as they were given."""

    vary: list[str]
    keep: str | None = None
    multiple: int = 1
    baseline: str | None = None
    columns: str | None = None
    fail_if: Sequence[str] = ()
    plots: Sequence[str] = ()
    measure: bool = False
    measure_seconds: float = 30.0
    format: str = "text"


class Request:
    """The flags of `compare`. Raises Usage for what cannot be done whatever the paths hold."""

    def __init__(self, options: Options, asked: Asked) -> None:
        vary, keep, format = asked.vary, asked.keep, asked.format
        options.check()
        if format not in FORMATS:
            raise Usage(f"unknown format {format!r}; one of {', '.join(FORMATS)}")
        if keep is not None and keep not in KEEPS:
            raise Usage(f"--keep is {' or '.join(KEEPS)}, not {keep!r}")
        if keep is not None and not vary:
            raise Usage("--keep solves for the d_ff of a variation: give --vary too")
        self.measure_seconds = asked.measure_seconds if asked.measure else None
        if asked.measure:
            from .measured import require

            require()
        self.options, self.keep, self.multiple, self.baseline, self.format = options, keep, asked.multiple, asked.baseline, format
        self.asked = variations(vary)
        self.columns = None if asked.columns is None else [key.strip() for key in asked.columns.split(",") if key.strip()]
        self.thresholds = [threshold(text) for text in asked.fail_if]
        self.plots = [_plot(text) for text in asked.plots]

    def tripped(self, comparisons: list[Comparison]) -> list[tuple[str, str]]:
        """(name, condition) of each condition of `--fail-if` that holds."""
        return [hit for comparison in comparisons for hit in broken(comparison, self.thresholds)] if self.thresholds else []


def _plot(text: str) -> tuple[str, str]:
    kind, equals, file = text.partition("=")
    if not equals or kind not in KINDS or not file:
        raise Usage(f"--plot {text}: write KIND=FILE, KIND one of {', '.join(KINDS)}")
    if not file.lower().endswith((".svg", ".png")):
        raise Usage(f"--plot {text}: the file ends in .svg or .png")
    return kind, file


def compared(paths: list[str], request: Request) -> tuple[list[Comparison], list[dict[str, Any]]]:
    """One comparison a path where something is varied, else one of all paths; and the error objects of paths that could not be read."""
    drafts, failures = _drafts(paths, request.options)
    out: list[Comparison] = []
    if request.asked:
        for _, draft in drafts:
            out.append(variants(draft, request.asked, keep=request.keep, multiple=request.multiple, baseline=request.baseline))
    elif len(drafts) > 1:
        out.append(_side_by_side(drafts, request.baseline))
    elif not failures:
        raise Usage("nothing to compare with: give --vary KEY=VALUE,VALUE or a second path")
    _columns_known(request, out)
    if request.measure_seconds is not None:
        from .measured import measure

        measure(out, request.measure_seconds)
    return out, failures


def _drafts(paths: list[str], options: Options) -> tuple[list[tuple[str, Draft]], list[dict[str, Any]]]:
    from ..cli.answers import opened

    drafts, failures = [], []
    for path in paths:
        try:
            found: list[tuple[str, ModelFolder | Usage]] = (
                [(path, open_revision(path))] if names_revision(path) else list(opened([path], alone=True))
            )
        except Usage as problem:
            found = [(path, problem)]
        for name, folder in found:
            try:
                if isinstance(folder, Usage):
                    raise folder
                drafts.append((name, Draft(load(folder), options)))
            except (Refused, Usage) as problem:
                failures.append({"path": name, "error": Entry(name, refused=problem).error})
    return drafts, failures


def _side_by_side(drafts: list[tuple[str, Draft]], baseline: str | None) -> Comparison:
    entries = [entry(name, draft) for name, draft in drafts]
    first = next((e for e in entries if e.name == baseline), None) if baseline is not None else entries[0]
    if first is None or first.draft is None:
        raise Usage(f"--baseline {baseline}: one of {', '.join(e.name for e in entries)}")
    if len(entries) == 2:
        for each in entries:
            if each is not first and each.draft is not None:
                each.more["changes"] = changes(first.draft.model, each.draft.model)
    return Comparison(first.name, first, entries)


def _columns_known(request: Request, comparisons: list[Comparison]) -> None:
    """Raises Usage for a column that no budget has, with the nearest key."""
    from difflib import get_close_matches

    for key in request.columns or ():
        if key.partition(".")[0] in OWN:
            continue
        budgets = [e.budget for c in comparisons for e in c.costed]
        if budgets and not any(_holds(b, key) for b in budgets):
            near = get_close_matches(key, _keys(budgets[0]), 1)
            raise Usage(f"--columns {key}: no such key in the budget" + (f"; did you mean {near[0]}?" if near else ""))


def _holds(budget: dict[str, Any], key: str) -> bool:
    outer, _, last = key.rpartition(".")
    holder = at(budget, outer) if outer else budget
    return isinstance(holder, dict) and last in holder and not isinstance(holder[last], dict | list)


def _keys(budget: dict[str, Any], before: str = "") -> list[str]:
    out: list[str] = []
    for key, value in budget.items():
        out += _keys(value, f"{before}{key}.") if isinstance(value, dict) else [f"{before}{key}"]
    return out
