"""The list of devices."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..accounting.units import binary, si
from ..problems import Usage
from .envelope import stamped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..devices import Device


def listing(devices: Iterable[Device], how: str, columns: int | None = None) -> str:
    """All devices as JSON or as text: aligned, or in `columns` with peaks and source below. Raises Usage for another format."""
    found = list(devices)
    if how == "json":
        return json.dumps(stamped({"devices": [d._asdict() for d in found]}), indent=2, ensure_ascii=False) + "\n"
    if how != "text":
        raise Usage(f"unknown format {how!r}; one of text, json")
    rows = [("id", "memory", "bandwidth", "dense peaks", "interconnect", "source"), *map(_cells, found)]
    if columns is not None and max(sum(map(len, row)) + 2 * len(row) for row in rows) > columns:
        return _folded(rows, columns)
    wide = [max(len(row[i]) for row in rows) for i in range(5)]
    return "".join("  ".join([*(cell.ljust(wide[i]) for i, cell in enumerate(row[:5])), row[5]]) + "\n" for row in rows)


def _folded(rows: list[tuple[str, ...]], columns: int) -> str:
    from .terminal import fitted

    head = rows[0]
    wide = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = []
    for row in rows:
        lines.append("  ".join(row[i].ljust(wide[i]) for i in (0, 1, 2, 4)).rstrip())
        lines += [f"  {head[i]:<13}{row[i]}" for i in (3, 5)] if row is not head else []
    return fitted("\n".join(lines), columns) + "\n"


def _cells(d: Device) -> tuple[str, ...]:
    peaks = ", ".join(f"{name} {si(value, 'FLOP/s')}" for name, value in d.peaks_flops.items()) or "-"
    bandwidth, link = (("-" if value is None else si(value, "B/s")) for value in (d.bandwidth_bytes_per_s, d.interconnect_bytes_per_s))
    return d.id, binary(d.memory_bytes), bandwidth, peaks, link, d.source
