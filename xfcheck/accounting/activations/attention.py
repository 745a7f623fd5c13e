"""Softmax attention: queries, keys, values, the heads' output; a tiled kernel keeps one 32-bit number a head and query."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...architecture.mixers.attention import Attention


def _widths(spec: Attention) -> tuple[int, int, int, int]:
    query = spec.query_heads * spec.head_dim * (2 if spec.gate == "query" else 1)
    own = 0 if spec.shares_cache else 1
    return query, own * spec.kv_heads * spec.head_dim, own * spec.kv_heads * spec.values, spec.query_heads * spec.values


def alive(spec: Attention, hidden: int) -> int:
    """Input with queries, keys and values; these with the output; the output before and after its matrix."""
    query, key, value, out = _widths(spec)
    return max(hidden + query + key + value, query + key + value + out, out + hidden)
