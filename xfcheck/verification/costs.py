"""The accountant's FLOPs and cache bytes against the build that was run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..accounting.cache import cache
from ..accounting.flops import forward
from ..accounting.run import Run
from .check import Check, compared, unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..architecture.model import Architecture
    from ..ledger import Row
    from .execution import Executed


def costs(a: Architecture, rows: Sequence[Row], done: Executed) -> list[Check]:
    """FLOPs of a prefill and of a step, bytes kept after each (in the terms of transformers, whose cache the build keeps)."""
    at = f"batch {done.batch}, {done.tokens} tokens" + (f", {done.source} of the source" if done.source else "")
    counted = "torch's FlopCounterMode on meta, products written out"
    first = forward(a, rows, Run(done.batch, done.tokens, 0, done.source, done.image, done.audio))["total_full"]
    out = [
        compared("flops.prefill", first, done.prefill, f"{counted}; {at}"),
        compared("cache.bytes", _kept(a, done, done.tokens), done.cache, f"bfloat16; {at}"),
    ]
    if done.stateless:
        out.insert(1, unknown("flops.decode", "the model keeps nothing between passes, so that there is no step to count"))
    elif done.decode is not None:
        step = forward(a, rows, Run(done.batch, 1, done.tokens, done.source, done.image, done.audio))["total_full"]
        out.insert(1, compared("flops.decode", step, done.decode, f"{counted}; one token after {at}"))
        out.append(compared("cache.bytes.after_decode", _kept(a, done, done.tokens + 1), done.later, f"bfloat16; one token after {at}"))
    return out


def _kept(a: Architecture, done: Executed, context: int) -> int | None:
    held: int | None = cache(a, batch=done.batch, context=context, source=done.source, dtype="bfloat16", engine="transformers")["bytes"]
    return held
