"""The contexts at which one cost passes another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .curves import Curves

if TYPE_CHECKING:
    from collections.abc import Callable

    from .draft import Draft

FARTHEST = 1 << 34
"""Longest context looked at, in tokens: a cost that has not passed another by then is bounded, by a window or a state, or no faster."""


def crossovers(draft: Draft, budget: dict[str, Any]) -> dict[str, int | None]:
    """The shortest contexts in tokens at which, null where that never is, or the model keeps nothing between passes.

    `cache_passes_weights_tokens`: the cache of the whole batch has as many bytes as the weights.
    `attention_passes_mlp_prefill_tokens`: the scores and
    weighted values of all visible pairs take as many FLOPs as the matrices of feed-forward networks, experts and routers, in a
    prefill of that length;
    `attention_passes_mlp_decode_tokens` the same for one token after that context. Windows and their filling up are counted as they are.
    """
    at, weights = Curves(draft), budget["memory"]["weight_bytes"]
    forward = bool(at.feed_forward)
    return {
        "cache_passes_weights_tokens": _first(lambda n: at.cache_bytes(n) >= weights) if at.decodes and weights else None,
        "attention_passes_mlp_prefill_tokens": _first(lambda n: at.attention_lead(n) >= 0) if forward else None,
        "attention_passes_mlp_decode_tokens": _first(lambda n: at.attention_lead(n, decode=True) >= 0) if forward and at.decodes else None,
    }


def _first(passed: Callable[[int], bool]) -> int | None:
    """The smallest context at which it holds, by doubling and halving; null where it does not hold at the farthest."""
    high = 1
    while not passed(high):
        high *= 2
        if high > FARTHEST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passed(middle) else (middle, high)
    return high
