"""The cache: what every layer keeps between passes, in the terms of an engine."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .engines import Ask, Kept, UnknownLayout
from .walk import arithmetic, mixers

if TYPE_CHECKING:
    from types import ModuleType

    from ..architecture.model import Architecture
    from .mixers._parts import Held

ENGINES = {"logical": "logical", "transformers": "transformers", "vllm": "vllm", "llama.cpp": "llama_cpp"}
"""Engine names -> modules of `accounting.engines`."""


def cache(
    a: Architecture, *, batch: int, context: int, source: int, dtype: str, engine: str = "logical", ranks: int = 1, **more: Any
) -> dict[str, Any]:
    """The `cache` object of the budget; bytes for the whole batch. `more` are further fields of `engines.Ask`.

    `dtype` is that of keys and values, or of both apart: `q8_0/q4_0`. `ranks`: what one of so many tensor parallel ranks keeps.

    `bytes` = `constant_bytes` + `bytes_per_token` * context, where a window that is not yet full counts as growing. `layers` group layers
    that keep alike and sum to `bytes`. `full_reservation_bytes`: every growing layer at the whole context, as an engine without window
    support reserves. All null, with the kind under `unknown_layout`, where the engine has no known layout for a kind of cache.
    """
    keep = import_module(f"{__package__}.engines.{ENGINES[engine]}")
    placed = list(mixers(a))
    holds: list[list[Held]] = [arithmetic(p.mixer.kind).holds(p.mixer, p.stack.stream) for p in placed]
    out: dict[str, Any] = {"engine": engine, "batch": batch, "context": context, "dtype": dtype}
    try:
        if ranks > 1:
            from .ranks import on_a_rank

            holds = [on_a_rank(p.mixer, each, ranks) for p, each in zip(placed, holds, strict=True)]
        ask = Ask(batch, context + prompts(a), source, dtype, **more)
        laid = _apart(keep, holds, ask) if "/" in dtype else keep.lay_out(holds, ask)
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


def _apart(keep: ModuleType, holds: list[list[Held]], ask: Ask) -> list[list[Kept]]:
    """The layout with keys in the first dtype of `q8_0/q4_0` and values in the second. What has no values is all keys.

    Raises UnknownLayout for every head's keys and values of latent attention, whose shares are not told apart.
    """
    first, _, second = ask.dtype.partition("/")
    if not ask.absorbed and any(held.expanded for each in holds for held in each):
        raise UnknownLayout(f"expanded latents in {ask.dtype}")
    keys = [[h._replace(per_token=h.key_elements or h.per_token) for h in each] for each in holds]
    values = [
        [h._replace(per_token=h.per_token - (h.key_elements or h.per_token), constant=0, shifted=None) for h in each] for each in holds
    ]
    both = (keep.lay_out(keys, ask._replace(dtype=first)), keep.lay_out(values, ask._replace(dtype=second)))
    return [
        [Kept(k.tokens, k.bytes + v.bytes, k.slope + v.slope, k.reserved + v.reserved) for k, v in zip(a, b, strict=True)]
        for a, b in zip(*both, strict=True)
    ]


def prompts(a: Architecture) -> int:
    """Trained vectors before every sequence, of which the layers keep as much as of a token."""
    return max((stack.padding.prompts for stack in a.stacks if stack.padding is not None), default=0)
