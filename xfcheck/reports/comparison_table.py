"""The table of a comparison, as text, Markdown or CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from ..comparison.deltas import at, ratio
from .comparison_units import CROSSOVERS, label, ratio_sign, shown, times
from .plain import line_start, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..comparison.compare import Comparison, Entry

COLUMNS = (
    "parameters.total", "flops.prefill.total_visible", "flops.decode.total_visible", "cache.bytes",
    "cache.bytes_per_token", "memory.weight_bytes",
)  # fmt: skip
"""Columns without `--columns`."""


def text(comparison: Comparison, columns: Sequence[str], *, exact: bool = False, room: int | None = None) -> str:
    """For a reader: the table, what was refused, crossovers and what changed; `room`: tables in as many blocks as fit into it."""
    head, rows = cells(comparison, columns, exact=exact)
    lines = [line_start(plain(f"{comparison.path}  {conditions(comparison)}")), *_aligned(head, rows, room)]
    lines += [f"refused: {plain(each.name)}: {_why(each)}" for each in comparison.entries if each.draft is None]
    crossed = crossover_cells(comparison)
    if crossed:
        lines += ["", *_aligned(["contexts in tokens", *CROSSOVERS.values()], crossed, room)]
    for name, changes in _changes(comparison):
        lines += ["", f"what changed in {plain(name)}:", *(f"  {line}" for line in changes)]
    notes = _notes(comparison)
    return "\n".join([*lines, *(["", *notes] if notes else [])]) + "\n"


def markdown(comparison: Comparison, columns: Sequence[str], *, exact: bool = False) -> str:
    """For a pull request."""
    head, rows = cells(comparison, columns, exact=exact)
    out = [f"**{_marked(comparison.path)}** {_marked(conditions(comparison))}", "", *_piped(head, rows)]
    out += [f"\nRefused: `{_marked(e.name)}`: {_marked(_why(e))}" for e in comparison.entries if e.draft is None]
    crossed = crossover_cells(comparison)
    if crossed:
        out += ["", *_piped(["contexts in tokens", *CROSSOVERS.values()], crossed)]
    for name, changes in _changes(comparison):
        out += ["", f"What changed in {_marked(name)}:", "", *(f"- {_marked(line)}" for line in changes)]
    notes = _notes(comparison)
    return "\n".join([*out, *([""] + [_marked(n) for n in notes] if notes else [])]) + "\n"


def comma_separated(comparisons: Sequence[Comparison], columns: Sequence[str]) -> str:
    """One row a variant, exact numbers: each column, its difference from the baseline, its ratio to it.

    What was refused has its reason alone.
    """
    file = io.StringIO()
    out = csv.writer(file, lineterminator="\n")
    out.writerow(["path", "baseline", "name", "error", *(title for key in columns for title in (key, f"delta.{key}", f"ratio.{key}"))])
    for comparison in comparisons:
        for each in comparison.shown:
            row: list[Any] = [comparison.path, comparison.baseline.name, each.name, "" if each.draft is not None else _why(each)]
            for key in columns:
                value, base = value_of(each, key), value_of(comparison.baseline, key)
                both = isinstance(value, int | float) and isinstance(base, int | float) and not isinstance(value, bool)
                row += [value, value - base if both else None, ratio(value, base)] if each.draft is not None else [None] * 3
            out.writerow(_harmless(cell) for cell in row)
    return file.getvalue()


def cells(comparison: Comparison, columns: Sequence[str], *, exact: bool) -> tuple[list[str], list[list[str]]]:
    """Headings and rows: a value, and beside it how many times the baseline's it is."""
    head = ["variant"] + [title for key in columns for title in (label(key), "")]
    rows = []
    for each in comparison.costed:
        row = [plain(each.name)]
        for key in columns:
            value = value_of(each, key)
            against = "" if each is comparison.baseline else times(ratio(value, value_of(comparison.baseline, key)))
            row += [plain(shown(value, key, exact=exact)), against]
        rows.append(row)
    return head, rows


def value_of(each: Entry, key: str) -> Any:
    """The value of a column (`Entry.value`)."""
    return each.value(key)


def crossover_cells(comparison: Comparison) -> list[list[str]]:
    """A row a variant; empty where no cost passes another in any of them."""
    rows = []
    for each in comparison.costed:
        found = each.more.get("crossovers", {})
        rows.append([plain(each.name), *("never" if found.get(key) is None else f"{found[key]:,}" for key in CROSSOVERS)])
    return rows if any(set(row[1:]) != {"never"} for row in rows) else []


def conditions(comparison: Comparison) -> str:
    """Under which conditions the numbers hold, and what ratios are against."""
    base = comparison.baseline.budget
    prefill, cache = base["flops"]["prefill"], base["cache"]
    contexts = {each.budget["flops"]["prefill"]["tokens"] for each in (comparison.baseline, *comparison.costed)}
    context = f"context {prefill['tokens']:,}" if len(contexts) == 1 else f"contexts from {min(contexts):,} to {max(contexts):,}"
    where = f"batch {prefill['batch']}, {context}, FLOPs over visible pairs, cache of {cache['dtype']} ({cache['engine']})"
    return f"({where}; {ratio_sign()} against {comparison.baseline.name})"


def _notes(comparison: Comparison) -> list[str]:
    out = []
    for each in comparison.costed:
        for name, value in each.more.get("settled", {}).items():
            out.append(f"{plain(each.name)}: {name} solved for: {value:,}")
        absorbed = at(each.budget, "flops.decode.absorbed_total")
        if absorbed is not None:
            said = shown(absorbed, "flops.decode.absorbed_total")
            out.append(f"{plain(each.name)}: decode as transformers runs it, keys and values anew of every latent; {said} where absorbed")
    out += _measured(comparison)
    drawn = [plain(e.name) for e in comparison.costed if e.budget.get("fidelity") != "exact"]
    if drawn:
        out.append(f"estimated: {'; '.join(drawn)}")
    return out


def _measured(comparison: Comparison) -> list[str]:
    """Where times were measured, in which kernels, and why some are missing."""
    out: list[str] = []
    for each in comparison.costed:
        told = each.more.get("measured")
        if told is None:
            continue
        if not out:
            device = told["device"]
            where = f"{device['name']}, torch {device['torch']}" + (f", {device['threads']} threads" if "threads" in device else "")
            cut = f"; cut short ({told['stopped']})" if told["stopped"] else ""
            out.append(f"measured: attention and recurrences of all layers, {told['context']:,} tokens, {told['dtype']}, on {where}{cut}")
        kernels = dict.fromkeys(f"{row['backend']} {row['phase']}" for row in told["rows"])
        out.append(f"{each.name}: measured in {', '.join(kernels) or 'no kernel'}")
        out += [f"{each.name}: {left['layers']} layers of {left['kind']} are not measured: {left['why']}" for left in told["not_measured"]]
    return [plain(line) for line in out]


def _changes(comparison: Comparison) -> list[tuple[str, list[str]]]:
    out = []
    for each in comparison.entries:
        found = each.more.get("changes")
        if found is not None:
            told = [f"{c['question']} {c['field']}: {_values(c['from'])} -> {_values(c['to'])}" for c in found]
            out.append((each.name, [plain(line) for line in told] or ["nothing that the six questions ask for"]))
    return out


def _values(values: Sequence[Any]) -> str:
    words = {None: "none", True: "yes", False: "no"}
    return (
        ", ".join(words[v] if v is None or isinstance(v, bool) else f"{v:,}" if isinstance(v, int) else str(v) for v in values) or "absent"
    )


def _why(each: Entry) -> str:
    error = each.error
    hint = f"; {error['help']}" if error["help"] else ""
    return plain(f"{error['code']} {error['message']}{hint}")


def _aligned(head: Sequence[str], rows: Sequence[Sequence[str]], room: int | None = None) -> list[str]:
    """Columns padded to their widest cell, numbers to the right; a column without any text takes no room."""
    used = [i for i in range(len(head)) if any(row[i] for row in (head, *rows))]
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    parts = [used]
    if room is not None:
        from .terminal import blocks

        # a ratio has no heading of its own, and `in decode` goes on from the one before it
        parts = blocks(used, widths, room, [i for i in used if not head[i] or head[i].startswith("in ")])
    lines: list[str] = []
    for part in parts:
        lines += [""] if lines else []
        for row in (head, *rows):
            padded = [row[i].ljust(widths[i]) if i == 0 else row[i].rjust(widths[i]) for i in part]
            lines.append("  ".join(padded).rstrip())
    return lines


def _piped(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    used = [i for i in range(len(head)) if any(row[i] for row in (head, *rows))]
    rule = ["---" if i == 0 else "---:" for i in used]
    return [
        "| " + " | ".join(line) + " |"
        for line in ([_marked(head[i]) for i in used], rule, *([_marked(row[i]) for i in used] for row in rows))
    ]


def _marked(words: str) -> str:
    """Text from files in Markdown: nothing of it is markup."""
    for sign in "\\`|<*_[":
        words = words.replace(sign, f"\\{sign}")
    return plain(words)


def _harmless(cell: Any) -> Any:
    """A cell that a spreadsheet does not take for a formula."""
    return (
        f"'{cell}"
        if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r"))
        else plain(cell)
        if isinstance(cell, str)
        else cell
    )
