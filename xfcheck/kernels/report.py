"""Measurements as an object for JSON, as text and as markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..reports.plain import plain
from .explain import explained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .measure import Session

COUNTED = (
    "visible pairs counted exactly (causal n(m-n) + n(n+1)/2, lower-right); forward 2 B H_q (d_qk + d_v) a pair, "
    "backward 2 B H_q (3 d_qk + 2 d_v); a recurrence 4 H K V a token, 6 under the delta rule, twice that backward; bytes: every tensor once"
)
HEADS = (
    "backend", "direction", "phase", "variant", "B", "n", "m", "H_q", "H_kv", "d", "ms", "spread", "predicted ms", "of it", "binds",
    "TFLOP/s", "GB/s", "error",
)  # fmt: skip


def result(session: Session, support: list[dict[str, Any]] | None) -> dict[str, Any]:
    """The element of a path; what a row has is said at `rows.row`."""
    roof = {
        "flops_per_s": round(session.ceilings.flops_per_s), "bytes_per_s": round(session.ceilings.bytes_per_s),
        "source": session.ceilings.source,
    }  # fmt: skip
    return {
        "device": {**session.device, "clock": {"source": session.frequency.source, "why": session.frequency.why}},
        "ceilings": roof,
        "counted": COUNTED,
        "backends": [
            {
                "backend": b.name, "computes": b.family, "available": b.why_not is None, "why_not": b.why_not,
                "compute_capability": None if b.generation is None else ".".join(map(str, b.generation)),
            }
            for b in session.backends
        ],
        **({} if support is None else {"support": support}),
        "rows": session.rows,
        "refused": session.refused,
        "not_measured": session.not_measured,
        "explained": explained(session.rows, roof),
        "stopped": session.stopped,
    }  # fmt: skip


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    """A row under `HEADS`."""
    width = str(row["head_dim"]) if row["head_dim"] == row["value_dim"] else f"{row['head_dim']}/{row['value_dim']}"
    fraction = "-" if row["roofline_fraction"] is None else f"{row['roofline_fraction']:.0%}"
    return (
        row["backend"], row["direction"], row["phase"], variant(row), str(row["batch"]), str(row["query_length"]), str(row["key_length"]),
        str(row["query_heads"]), str(row["kv_heads"]), width, f"{row['median_ms']:.4g}", f"{row['spread']:.0%}",
        f"{row['roofline_ms']:.3g}", fraction, row["binds"], f"{row['tflops_per_s']:.3g}", f"{row['gb_per_s']:.3g}",
        f"{row['max_abs_error']:.1e}",
    )  # fmt: skip


def variant(row: dict[str, Any]) -> str:
    """Which of the config's mixers it is, or which variation of them."""
    name = row["variant"] if row["mixer"] in ("attention", "latent_attention") else f"{row['mixer']}, {row['variant']}"
    hidden = {"causal": "", "recurrent": ""}.get(row["mask"], f", {row['mask']}")
    size = row["window"] if row["window"] is not None else row["prefix"]
    return f"{name}{hidden}" + ("" if size is None else f" {size}")


def text(element: dict[str, Any]) -> str:
    """For a terminal."""
    lines = [f"{plain(element['path'])}: {named(element)}", f"  {ceiling(element)}", f"  FLOPs: {element['counted']}", ""]
    if "support" in element:
        lines += as_columns([("backend", "feature", "works", "error", "why"), *map(_supported, element["support"])])
    elif element["rows"]:
        lines += as_columns([HEADS, *map(cells, element["rows"])])
    else:
        lines.append("  nothing was measured")
    for backend in element["backends"]:
        if not backend["available"]:
            lines.append(f"  not run: {backend['backend']}: {plain(backend['why_not'])}")
    told = [*(f"note: {plain(why)}" for why in element["explained"]), *notes(element)]
    return "\n".join([*lines, *(f"  {each}" for each in told)]) + "\n"


def markdown(element: dict[str, Any]) -> str:
    """A table with the device above it."""
    wide = "support" in element
    heads: Sequence[str] = ("backend", "feature", "works", "error", "why") if wide else HEADS
    body = [_supported(r) for r in element["support"]] if wide else [cells(r) for r in element["rows"]]
    lines = [f"## {_escaped(element['path'])}", "", f"{_escaped(named(element))}; {ceiling(element)}.", ""]
    lines += [f"FLOPs: {element['counted']}.", ""]
    lines += as_markdown(heads, body)
    out = [f"{b['backend']} was not run: {b['why_not']}" for b in element["backends"] if not b["available"]]
    out += [*element["explained"], *notes(element)]
    return "\n".join([*lines, "", *(f"- {_escaped(told)}" for told in out)]) + "\n"


def named(element: dict[str, Any]) -> str:
    """The device in words, and its clock."""
    return f"{device_in_words(element['device'])}, clock {_clocks(element)}"


def device_in_words(device: dict[str, Any]) -> str:
    """Its name, how much of it was used, and by which torch."""
    count = device.get("threads")
    more = f"{count} thread{'' if count == 1 else 's'}, {device['instructions']}" if device["type"] == "cpu" else f"CUDA {device['cuda']}"
    return f"{plain(device['name'])}, {more}, torch {device['torch']}"


def _clocks(element: dict[str, Any]) -> str:
    """The range that was read around the measurements."""
    clock = element["device"]["clock"]
    read = [mhz for row in element["rows"] for mhz in row["clock_mhz"] if mhz is not None]
    if not read:
        return f"unknown ({plain(clock['why'] or 'nothing was timed')})"
    low, high = min(read), max(read)
    return (f"{low} MHz" if low == high else f"{low} to {high} MHz") + f" ({clock['source']})"


def ceiling(element: dict[str, Any]) -> str:
    """The roofline in words."""
    roof = element["ceilings"]
    return f"ceilings {roof['flops_per_s'] / 1e12:.4g} TFLOP/s and {roof['bytes_per_s'] / 1e9:.4g} GB/s ({roof['source']})"


def notes(element: dict[str, Any]) -> list[str]:
    """What was refused, what is not measured, and whether the run was cut short."""
    seen: dict[str, int] = {}
    for row in element["refused"]:
        at = f"{row['backend']} {row['direction']}, n {row['query_length']}, m {row['key_length']}, {variant(row)}: {plain(row['why'])}"
        seen[at] = seen.get(at, 0) + 1
    out = [f"refused: {told}" + (f" ({count} times)" if count > 1 else "") for told, count in seen.items()]
    out += [f"not measured: {row['layers']} layers of {row['kind']}: {row['why']}" for row in element["not_measured"]]
    if element["stopped"]:
        out.append("cut short: " + ("the budget of time is used up" if element["stopped"] == "budget" else "interrupted"))
    return out


def _supported(row: dict[str, Any]) -> tuple[str, ...]:
    error = "-" if row["max_abs_error"] is None else f"{row['max_abs_error']:.1e}"
    return row["backend"], row["feature"], "yes" if row["works"] else "no", error, plain(row["why"] or "")


def _escaped(told: str) -> str:
    return plain(told).replace("|", "\\|").replace("<", "&lt;")


def as_markdown(heads: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    return ["| " + " | ".join(row) + " |" for row in [tuple(heads), ("---",) * len(heads), *(tuple(map(_escaped, r)) for r in body)]]


def as_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The lines of a table for a terminal."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
