"""Measured rows under the roofline: what each reached, beside what was predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..problems import Usage
from ..reports.comparison_plots import MOST, Roofline
from .report import named, variant

if TYPE_CHECKING:
    from collections.abc import Sequence


def draw(file: str, elements: Sequence[dict[str, Any]]) -> None:
    """Draw the report of one config. Raises Usage for several, for none with a row, and where the file cannot be written."""
    if len(elements) != 1:
        raise Usage("--plot draws the rows of one config")
    plot = of(elements[0])
    if file.lower().endswith(".png"):
        from ..reports.comparison_png import png

        png(plot, file)
        return
    from ..comparison.written import write_text
    from ..reports.comparison_svg import svg

    write_text(svg(plot), file)


def of(element: dict[str, Any]) -> Roofline:
    """The quickest kernel of each case, at most so many; FLOPs a byte against FLOP/s, and the roofline above each point."""
    quickest: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in element["rows"]:
        at = (row["direction"], row["phase"], variant(row), row["query_length"], row["key_length"], row["kv_heads"])
        if at not in quickest or row["median_ms"] < quickest[at]["median_ms"]:
            quickest[at] = row
    shown = list(quickest.values())[:MOST]
    if not shown:
        raise Usage("--plot: nothing was measured")
    points = [(_name(row), row["flops"] / row["bytes"]) for row in shown]
    roof = element["ceilings"]
    title = f"{named(element).partition(', torch')[0]}: reached, under the roofline ({roof['source']})"
    return Roofline(title, roof["flops_per_s"], roof["bytes_per_s"], points, [row["tflops_per_s"] * 1e12 for row in shown])


def _name(row: dict[str, Any]) -> str:
    back = " backward" if row["direction"] == "backward" else ""
    return f"{row['backend']} {variant(row)}{back} {row['query_length']}x{row['key_length']}"
