"""Whether a model fits a device, and how fast the device can be at most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..devices import Device

LONGEST = 2**40
"""Tokens and sequences up to which a limit is looked for."""


def fit(
    device: Device,
    *,
    utilisation: float,
    fixed: int,
    cache_bytes: Callable[[int, int], int | None],
    batch: int,
    context: int,
    what: list[str],
) -> dict[str, Any]:
    """The `device` object of the budget of inference on one device, in bytes.

    `utilisation` of the memory may be used; `fixed` are bytes that grow with neither batch nor context, `cache_bytes(batch, context)` the
    cache. `longest_context` is what the batch's sequences may have, `largest_batch` the sequences of this context; 0 where the weights
    alone do not fit, null without a limit. `counted` names what is in `needed_bytes`. `cache_pool_bytes`: what is left for the cache,
    `concurrency`: how many sequences of this context it holds.
    """
    cache = cache_bytes(batch, context)
    free = int(cache_pool(device.memory_bytes, utilisation, fixed, 0))
    if cache is None:
        return {
            **_head(device),
            "needed_bytes": None,
            "fits": None,
            "free_bytes": None,
            "cache_pool_bytes": None,
            "concurrency": None,
            "longest_context": None,
            "largest_batch": None,
            "counted": what,
        }
    return {
        **_head(device), "needed_bytes": fixed + cache, "fits": cache <= free, "free_bytes": free - cache,
        "cache_pool_bytes": max(0, free), "concurrency": None if not cache else round(max(0, free) * batch / cache, 4),
        "longest_context": largest(lambda n: _within(cache_bytes(batch, n), free)),
        "largest_batch": largest(lambda b: _within(cache_bytes(b, context), free)), "counted": what,
    }  # fmt: skip


def cache_pool(memory: float, utilisation: float, weights: float, activations: float, other: float = 0) -> float:
    """What an engine has left for the cache: memory * utilisation - weights - activations - other (vLLM, gpu_worker.py).

    `other` is what the driver, communication and graphs take (0.03 to 0.9 GiB in public logs); all in one unit.
    """
    return memory * utilisation - weights - activations - other


def fit_training(device: Device, needed: int | None) -> dict[str, Any]:
    """The same for training on one device: `needed_bytes` is the training's total."""
    free = None if needed is None else device.memory_bytes - needed
    return {
        **_head(device),
        "needed_bytes": needed,
        "fits": None if free is None else free >= 0,
        "free_bytes": free,
        "counted": ["training.total_bytes"],
    }


def bounds(device: Device, dtype: str, *, prefill: int, decode: int | None, read_bytes: int | None, batch: int) -> dict[str, Any]:
    """Least seconds of prefill and of a decode step.

    FLOPs over the dense peak; for a step the bytes it reads over the bandwidth, where that is longer.

    `read_bytes`: weights that the step's tokens meet, and the cache.
    """
    peak, bandwidth = device.peak(dtype), device.bandwidth_bytes_per_s
    computing = None if decode is None or peak is None else decode / peak
    reading = None if read_bytes is None or not bandwidth else read_bytes / bandwidth
    step = None if decode is None else max((x for x in (computing, reading) if x is not None), default=None)
    return {
        "prefill_seconds": None if peak is None else prefill / peak, "decode_seconds": step,
        "decode_tokens_per_second": None if not step else batch / step,
        "decode_bound": None if step is None else "memory" if step == reading else "compute",
    }  # fmt: skip


def largest(fits: Callable[[int], bool]) -> int | None:
    """The greatest whole number that fits, 0 where none does, null where nothing ends it. What fits must go on fitting below."""
    if not fits(1):
        return 0
    low = 1
    while fits(low * 2):
        low *= 2
        if low >= LONGEST:
            return None
    high = low * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _within(needed: int | None, free: int) -> bool:
    return needed is not None and needed <= free


def _head(device: Device) -> dict[str, Any]:
    return {"id": device.id, "name": device.name, "memory_bytes": device.memory_bytes, "source": device.source}
