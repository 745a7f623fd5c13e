"""The cache: what every layer keeps between passes, in the terms of an engine."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .engines import Ask, UnknownLayout
from .walk import arithmetic, mixers

if TYPE_CHECKING:
    from ..architecture.model import Architecture

ENGINES = {"logical": "logical", "transformers": "transformers", "vllm": "vllm", "llama.cpp": "llama_cpp"}
"""Engine names -> modules of `accounting.engines`."""


def cache(a: Architecture, *, batch: int, context: int, source: int, dtype: str, engine: str = "logical", **more: Any) -> dict[str, Any]:
    """The `cache` object of the budget; bytes for the whole batch. `more` are further fields of `engines.Ask`.

    `bytes` = `constant_bytes` + `bytes_per_token` * context, where a window that is not yet full counts as growing. `layers` group layers
    that keep alike and sum to `bytes`. `full_reservation_bytes`: every growing layer at the whole context, as an engine without window
    support reserves. All null, with the kind under `unknown_layout`, where the engine has no known layout for a kind of cache.
    """
    keep = import_module(f"{__package__}.engines.{ENGINES[engine]}")
    placed = list(mixers(a))
    holds = [arithmetic(p.mixer.kind).holds(p.mixer, p.stack.stream) for p in placed]
    out: dict[str, Any] = {"engine": engine, "batch": batch, "context": context, "dtype": dtype}
    try:
        laid = keep.lay_out(holds, Ask(batch, context + prompts(a), source, dtype, **more))
    except UnknownLayout as kind:
        return {
            **out,
            "bytes": None,
            "bytes_per_token": None,
            "constant_bytes": None,
            "full_reservation_bytes": None,
            "layers": [],
            "unknown_layout": str(kind),
        }
    groups: dict[tuple[str, int], dict[str, Any]] = {}
    slope: Any = 0
    reserved = 0
    for place, parts, kepts in zip(placed, holds, laid, strict=True):
        count = place.caches
        for held, kept in zip(parts, kepts, strict=True):
            slope += count * kept.slope
            reserved += count * kept.reserved
            group = groups.setdefault((held.kind, kept.tokens), {"kind": held.kind, "count": 0, "tokens": kept.tokens, "bytes": 0})
            group["count"] += count
            group["bytes"] += count * kept.bytes
    whole, slope = sum(g["bytes"] for g in groups.values()), int(slope)
    return {
        **out, "bytes": whole, "bytes_per_token": slope, "constant_bytes": whole - slope * context, "full_reservation_bytes": reserved,
        "layers": list(groups.values()),
    }  # fmt: skip


def prompts(a: Architecture) -> int:
    """Trained vectors before every sequence, of which the layers keep as much as of a token."""
    return max((stack.padding.prompts for stack in a.stacks if stack.padding is not None), default=0)
