"""The contexts at which one cost passes another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..accounting.crossovers import cache_passes_weights, first
from .curves import Curves

if TYPE_CHECKING:
    from .draft import Draft


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
        "cache_passes_weights_tokens": cache_passes_weights(at.cache_bytes, weights) if at.decodes else None,
        "attention_passes_mlp_prefill_tokens": first(lambda n: at.attention_lead(n) >= 0) if forward else None,
        "attention_passes_mlp_decode_tokens": first(lambda n: at.attention_lead(n, decode=True) >= 0) if forward and at.decodes else None,
    }
