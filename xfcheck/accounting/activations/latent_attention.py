"""Latent attention: the latents with their norms, every head's expanded keys and values, the output."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...architecture.mixers.latent_attention import LatentAttention


def _widths(spec: LatentAttention) -> tuple[int, int, int]:
    query = spec.query_heads * (spec.nope_dim + spec.rope_dim)
    return query, query, spec.query_heads * spec.value_dim


def alive(spec: LatentAttention, hidden: int) -> int:
    """Queries, keys and values of all heads with the output, or the latents with the input."""
    query, key, value = _widths(spec)
    return max(hidden + query + spec.kv_rank + spec.rope_dim, query + key + value + spec.kv_rank, query + key + 2 * value, value + hidden)
