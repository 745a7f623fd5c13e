"""The sequences of a file of rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..documents.read import Unreadable, read_bytes
from ..problems import Usage
from .records import Remark, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .records import Sample

ROWS, BYTES = 10_000, 64_000_000
"""Rows and bytes of a file that are looked at."""
KEYS = ("input_ids", "attention_mask", "labels", "position_ids")


def rows_of(path: str, out: Sample) -> Iterator[Row]:
    """Every sequence; what is none is remarked on in `out`. Raises Usage where the file cannot be read."""
    try:
        raw = read_bytes(path, BYTES)
    except Unreadable as failure:
        raise Usage(f"{path}: {failure.problem.message}") from failure
    for number, line in enumerate(raw.decode("utf-8", "replace").splitlines()[:ROWS], 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            out.remarks.append(Remark("XF901", "error", f"the row is no JSON: {error}"[:160], "", number))
            continue
        if not isinstance(data, dict) or not isinstance(data.get("input_ids"), list):
            out.remarks.append(Remark("XF901", "error", "a row is an object with input_ids", "", number))
            continue
        yield from _parts(data, number, out)


def _parts(data: dict[str, Any], number: int, out: Sample) -> Iterator[Row]:
    """The sequences of an object: one, or those of a batch."""
    ids = data["input_ids"]
    batch = ids if ids and isinstance(ids[0], list) else [ids]
    for at, sequence in enumerate(batch):
        values: dict[str, Any] = {}
        for key in KEYS:
            given = data.get(key)
            values[key] = given[at] if batch is ids and isinstance(given, list) and at < len(given) else given
        wrong = next((k for k in KEYS if values[k] is not None and not _numbers(values[k])), None)
        short = next((k for k in KEYS if values[k] is not None and wrong is None and len(values[k]) != len(sequence)), None)
        if wrong is not None:
            out.remarks.append(Remark("XF901", "error", f"{wrong} is no list of whole numbers", wrong, number))
        elif short is not None:
            said = f"{short} has {len(values[short])} entries and input_ids {len(sequence)}"
            out.remarks.append(Remark("XF901", "error", said, short, number, "one entry a token"))
        else:
            yield Row(number, *(values[key] for key in KEYS))


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, int) for v in value)
