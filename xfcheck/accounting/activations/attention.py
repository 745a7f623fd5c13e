"""Softmax attention: queries, keys, values, the heads' output; a tiled kernel keeps one 32-bit number a head and query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import norm_bytes

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


def saved(spec: Attention, hidden: int, width: int) -> int | None:
    """Queries, keys, values, output, one 32-bit log-sum-exp a head; what norms of queries and keys keep.

    Null for gates, softcaps and a second pass.
    """
    if spec.gate != "none" or spec.softcap is not None or spec.passes != 1 or spec.value_norm is not None or spec.output_norm is not None:
        return None
    query, key, value, out = _widths(spec)
    norms = _norm(spec.query_norm, spec.query_heads, spec.head_dim, width) + (
        0 if spec.shares_cache else _norm(spec.key_norm, spec.kv_heads, spec.head_dim, width)
    )
    return width * (query + key + value + out) + 4 * spec.query_heads + norms


def _norm(norm: object, heads: int, head_dim: int, width: int) -> int:
    size = getattr(norm, "size", None)
    if norm is None:
        return 0
    return norm_bytes(norm, heads * head_dim, width) if size is not None and size != head_dim else norm_bytes(norm, head_dim, width, heads)  # type: ignore[arg-type]
