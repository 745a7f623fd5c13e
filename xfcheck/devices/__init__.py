"""Accelerators: memory, bandwidth, dense peaks and interconnect, each with its source (`table.json`).

A YAML file of the user's own adds to them or replaces them.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ..problems import Usage


class Device(NamedTuple):
    """One accelerator.

    `memory_bytes` is what a program can allocate from, before any reserve; `bandwidth_bytes_per_s` that of its memory; `peaks_flops` dense
    peaks by short dtype name, 2 a multiply-add, without sparsity and with 32-bit accumulation; `interconnect_bytes_per_s` the vendor's
    total of both directions. Null where not known.
    """

    id: str
    name: str
    memory_bytes: int
    bandwidth_bytes_per_s: int | None
    peaks_flops: dict[str, int]
    interconnect_bytes_per_s: int | None
    source: str

    def peak(self, dtype: str) -> int | None:
        """The dense peak of a dtype given in any spelling; 32-bit products run as tf32 where there is such a peak."""
        short = {
            "bfloat16": "bf16",
            "float16": "fp16",
            "float8_e4m3fn": "fp8",
            "float8_e5m2": "fp8",
            "float32": "tf32",
            "int4": "int8",
        }.get(dtype, dtype)
        return self.peaks_flops.get(short)


@lru_cache(maxsize=4)
def devices(extra: str | None = None) -> dict[str, Device]:
    """All accelerators by id, with those of a YAML file. Raises Usage where that file cannot be read or an entry is not complete."""
    data: dict[str, Any] = json.loads((Path(__file__).parent / "table.json").read_bytes())
    for key, entry in _own(extra).items():
        data[str(key).lower()] = entry
    return {key: _device(key, entry) for key, entry in data.items()}


def find(name: str, extra: str | None = None) -> Device:
    """The accelerator of that id. Raises Usage with the nearest ids for an unknown one."""
    known = devices(extra)
    key = name.strip().lower().replace("_", "-").replace(" ", "-")
    if key in known:
        return known[key]
    from difflib import get_close_matches

    near = [k for k in known if k.startswith(key)] or get_close_matches(key, known, 3)
    raise Usage(f"unknown device {name!r}" + (f"; did you mean {', '.join(near)}?" if near else "; `xfcheck devices` lists all"))


def _own(path: str | None) -> dict[str, Any]:
    if path is None:
        return {}
    from ..documents.read import read_document

    document = read_document(path)
    if document.data is None or not isinstance(document.data, dict) or any(p.severity == "error" for p in document.problems):
        raise Usage(f"{path}: " + (document.problems[0].message if document.problems else "no mapping of device ids"))
    return document.data


def _device(key: str, entry: Any) -> Device:
    """An entry; numbers may be text with units (`80GiB`, `3.35TB`, `989T`)."""
    from ..accounting.units import amount

    try:
        peaks = {str(k): int(amount(v)) for k, v in (entry.get("peaks_flops") or {}).items()}
        bandwidth, link = entry.get("bandwidth_bytes_per_s"), entry.get("interconnect_bytes_per_s")
        return Device(
            key, str(entry.get("name", key)), int(amount(entry["memory_bytes"])), None if bandwidth is None else int(amount(bandwidth)),
            peaks,
            None if link is None else int(amount(link)), str(entry.get("source", "given")),
        )  # fmt: skip
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise Usage(
            f"device {key!r} is not complete: {error}; "
            "it needs memory_bytes, and may have bandwidth_bytes_per_s, peaks_flops, interconnect_bytes_per_s"
        ) from error
