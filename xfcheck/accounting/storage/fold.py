"""The fold over the ledger: every row as its matrices are stored."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..dtypes import size
from ..walk import mixers
from . import quantisable
from .patterns import kept_layers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ledger import Row
    from ...model import Model
    from . import Scheme


def fold(model: Model, scheme: Scheme, dtype: str) -> dict[str, Any]:
    """The `storage` object of a quantised checkpoint."""
    rows = [row for row in model.rows if row.kind in ("parameter", "buffer", "not_loaded") and row.tied_to is None]
    untied = [
        row._replace(tied_to=None) for row in model.rows if scheme.unties and row.tied_to is not None and row.role.component == "head"
    ]
    biased = {row.name.removesuffix(".bias") for row in rows if row.name.endswith(".bias")}
    stored = held = logical = 0
    high: list[str] = []
    for row in [*rows, *untied]:
        packed = _packed(row, scheme, rows)
        plain = row.tensors - packed
        logical += row.stored_elements
        if plain:
            elements = prod(row.stored_shape) * plain
            stored += elements
            held += size(elements, row.dtype or dtype)
            if row.role.multiplies or row.role.component in ("token_embedding", "position_embedding"):
                high.append(_module(row.name) + ("" if not packed else f" ({_layers(row, scheme)})"))
        if packed:
            *stack, out, columns = row.stored_shape
            each = scheme.tensor(out, columns, _module(row.name) in biased)
            count = packed * prod(stack)
            stored += each.elements * count
            held += each.bytes * count
            logical += each.added * count
    if scheme.extra_per_cache:
        caches = sum(placed.count for placed in mixers(model.architecture) if placed.mixer.kind.endswith("attention"))
        stored += scheme.extra_per_cache * caches
        held += 4 * scheme.extra_per_cache * caches
    return {
        "method": scheme.method, "bytes": held, "stored_elements": stored, "logical_elements": logical, "high_precision": sorted(set(high)),
        "head_untied": bool(untied), "with_draft_layers": any(row.kind == "not_loaded" for row in rows), "layout_checked": scheme.checked,
    }  # fmt: skip


def _packed(row: Row, scheme: Scheme, rows: Sequence[Row]) -> int:
    """How many of the row's tensors are quantised."""
    if not quantisable(row, scheme):
        return 0
    if row.tied_to is not None:
        return 0
    module = _module(row.name).replace("{expert}", "0")
    if scheme.keeps(module.replace("{layer}", "0")):
        return 0
    if row.layers is None or not scheme.patterns:
        return row.tensors
    kept = kept_layers(module, row.layers, scheme)
    return (len(row.layers) - len(kept)) * (row.experts or 1)


def _layers(row: Row, scheme: Scheme) -> str:
    from ...architecture.layers import LayerSet

    module = _module(row.name).replace("{expert}", "0")
    return "" if row.layers is None else "layers " + str(LayerSet.of(kept_layers(module, row.layers, scheme)))


def _module(name: str) -> str:
    return name.removesuffix(".weight").removesuffix(".bias")
