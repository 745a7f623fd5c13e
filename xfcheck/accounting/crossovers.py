"""Where one cost passes another.

O(n^2 d) attention against the rest and against O(n d^2) linear attention, the cache against the weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .walk import mixers

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..architecture.model import Architecture


FARTHEST = 1 << 34
"""Longest context looked at, in tokens: a cost that has not passed another by then is bounded, by a window or a state, or no faster."""


def first(passed: Callable[[int], bool], near: int | None = None) -> int | None:
    """The smallest context at which it holds, by doubling and halving; null where it does not hold at the farthest. `near`: tried first."""
    if not passed(FARTHEST):
        return None
    if near is not None and 1 < near < FARTHEST and passed(near) and not passed(near - 1):
        return near
    high = 1
    while not passed(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passed(middle) else (middle, high)
    return high


def cache_passes_weights(kept: Callable[[int], int | None], weights: int | None, near: int | None = None) -> int | None:
    """The shortest context at which `kept` bytes of the whole batch are as many as the weights; windows that fill up end their growth."""
    return first(lambda n: (kept(n) or 0) >= weights, near) if weights else None


def crossovers(
    a: Architecture, prefill: dict[str, Any], cache: dict[str, Any], kept: Callable[[int], int | None], weights: int | None
) -> dict[str, Any]:
    """The `crossovers` object of the budget, in tokens of a sequence; null where the one never passes the other.

    `attention_passes_rest`: the prefill length at which scores and values over the whole square cost as much as all weight matrices and
    scans; both are known from the budget's own length, where one is of second and the other of first order. `linear_attention_cheaper`: the
    length at which softmax attention, 2 n^2 H (d_k + d_v), costs as much as a linear one of the same heads, 4 n H d_k d_v: n = 2 d_k d_v /
    (d_k + d_v), the head's width where both are alike (Katharopoulos et al. 2020, arXiv 2006.16236, section 3.2). `cache_passes_weights`:
    the context at which the cache of the batch has as many bytes as the weights: `kept` bytes of it, which `cache` is at the budget's own.
    """
    attention, rest, length = prefill["attention_full"], prefill["matmul"] + prefill["scan"], prefill["tokens"]
    slope = cache["bytes_per_token"]
    near = -(-(weights - cache["constant_bytes"]) // slope) if slope and weights is not None else None
    return {
        "attention_passes_rest_tokens": -(-rest * length // attention) if attention else None,
        "linear_attention_cheaper_tokens": _linear(a),
        "cache_passes_weights_tokens": cache_passes_weights(kept, weights, near) if cache["bytes"] else None,
    }


def _linear(a: Architecture) -> int | None:
    """Of the widest head of the main stack."""
    found = []
    for placed in mixers(a):
        spec: Any = placed.mixer
        if placed.stack.stream != a.main.stream or getattr(spec, "query_heads", None) is None:
            continue
        latent = spec.kind == "latent_attention"
        keys, values = (
            (spec.nope_dim + spec.rope_dim, spec.value_dim) if latent else (spec.head_dim, getattr(spec, "values", spec.head_dim))
        )
        if keys + values:
            found.append(-(-2 * keys * values // (keys + values)))
    return max(found, default=None)
