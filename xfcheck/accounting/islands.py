"""Weights that the reference keeps in 32 bits, whatever the model's dtype is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .dtypes import WIDTHS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Model

WIDE = 4


def islands(model: Model, architecture: str | None, dtype: str, weights: int) -> Iterator[dict[str, Any]]:
    """An assumption of `memory.weight_bytes` where the class keeps parts in 32 bits as it loads them (`_keep_in_fp32_modules_strict`).

    The bytes stay those of the checkpoint, which engines keep; the assumption says how many more transformers needs.
    """
    table = model.settings.table
    if table is None:
        return
    named = architecture or next((name for name, kind in table.architectures.items() if kind == model.architecture.head.kind), "")
    kept = table.models.get(named, {}).get("fp32") or ()
    if not kept or WIDTHS[dtype] >= WIDE:
        return
    import re

    from ..ledger import modules

    wanted = re.compile("|".join(rf"(?:^|\.){re.escape(name)}(?:$|\.)" for name in kept))
    rows = [
        row
        for row in modules(model.rows)
        if row.dtype is None and row.tied_to is None and row.kind != "not_loaded" and wanted.search(row.module or row.name)
    ]
    more = sum(int(row.elements * (WIDE - WIDTHS[dtype])) for row in rows)
    if more:
        names = sorted(
            {name for name in kept if any(re.search(rf"(?:^|\.){re.escape(name)}(?:$|\.)", row.module or row.name) for row in rows)}
        )
        yield {
            "field": "memory.weight_bytes", "value": weights,
            "why": f"{named} keeps {', '.join(names)} in 32 bits as it loads them: {more:,} bytes more than the checkpoint",
        }  # fmt: skip
