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


def listing(devices: Iterable[Device], how: str) -> str:
    """All devices as aligned text or JSON. Raises Usage for another format."""
    found = list(devices)
    if how == "json":
        return json.dumps(stamped({"devices": [d._asdict() for d in found]}), indent=2, ensure_ascii=False) + "\n"
    if how != "text":
        raise Usage(f"unknown format {how!r}; one of text, json")
    rows = [("id", "memory", "bandwidth", "dense peaks", "interconnect", "source"), *map(_cells, found)]
    wide = [max(len(row[i]) for row in rows) for i in range(5)]
    return "".join("  ".join([*(cell.ljust(wide[i]) for i, cell in enumerate(row[:5])), row[5]]) + "\n" for row in rows)


def _cells(d: Device) -> tuple[str, ...]:
    peaks = ", ".join(f"{name} {si(value, 'FLOP/s')}" for name, value in d.peaks_flops.items()) or "-"
    bandwidth, link = (("-" if value is None else si(value, "B/s")) for value in (d.bandwidth_bytes_per_s, d.interconnect_bytes_per_s))
    return d.id, binary(d.memory_bytes), bandwidth, peaks, link, d.source
