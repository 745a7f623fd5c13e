"""The cache: what every layer keeps between passes, in the terms of an engine."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .dtypes import size
from .walk import arithmetic, mixers

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from .mixers._parts import Held

ENGINES = {"logical": "logical", "transformers": "transformers"}
"""Engine names -> modules of `accounting.engines`."""


def cache(a: Architecture, *, batch: int, context: int, source: int, dtype: str, engine: str = "logical") -> dict[str, Any]:
    """The `cache` object of the budget; bytes for the whole batch.

    `bytes` = `constant_bytes` + `bytes_per_token` * context, where a window that is not yet full counts as growing. `layers` group layers that
    keep alike and sum to `bytes`. `full_reservation_bytes`: every growing layer at the whole context, as an engine without window support
    reserves.
    """
    keep = import_module(f"{__package__}.engines.{ENGINES[engine]}")
    groups: dict[tuple[str, int], dict[str, Any]] = {}
    slope = constant = reserved = 0
    for placed in mixers(a):
        for held in arithmetic(placed.mixer.kind).holds(placed.mixer, placed.stack.stream):
            tokens = keep.tokens(held, context, source) if held.per_token and (context > held.above or not held.above) else 0
            count = placed.caches
            each = batch * _bytes(held, tokens, dtype)
            grows = held.per_token > 0 and not held.source and not held.stride and tokens == context
            slope += count * each // context if grows and context else 0
            slope += count * batch * _bytes(held, 1, dtype) // held.stride if held.stride and held.part == "entries" and tokens else 0
            constant += 0 if grows else count * each
            reserved += count * (each if held.source or held.stride or not held.per_token else batch * _bytes(held, max(context, tokens), dtype))
            group = groups.setdefault((held.kind, tokens), {"kind": held.kind, "count": 0, "tokens": tokens, "bytes": 0})
            group["count"] += count
            group["bytes"] += count * each
    whole = sum(g["bytes"] for g in groups.values())
    return {
        "engine": engine, "batch": batch, "context": context, "dtype": dtype, "bytes": whole, "bytes_per_token": slope,
        "constant_bytes": whole - slope * context, "full_reservation_bytes": reserved, "layers": list(groups.values()),
    }  # fmt: skip


def _bytes(held: Held, tokens: int, dtype: str) -> int:
    """Bytes one layer keeps of one sequence."""
    return size(held.per_token * tokens + held.constant, "float32" if held.fp32 else dtype)
