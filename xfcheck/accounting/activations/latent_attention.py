"""Latent attention: the latents with their norms, every head's expanded keys and values, the output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import norm_bytes

if TYPE_CHECKING:
    from ...architecture.mixers.latent_attention import LatentAttention


def _widths(spec: LatentAttention) -> tuple[int, int, int]:
    query = spec.query_heads * (spec.nope_dim + spec.rope_dim)
    return query, query, spec.query_heads * spec.value_dim


def alive(spec: LatentAttention, hidden: int) -> int:
    """Queries, keys and values of all heads with the output, or the latents with the input."""
    query, key, value = _widths(spec)
    return max(hidden + query + spec.kv_rank + spec.rope_dim, query + key + value + spec.kv_rank, query + key + 2 * value, value + hidden)


def saved(spec: LatentAttention, hidden: int, width: int) -> int | None:
    """Both latents through their norms and into their maps, then as any attention. Null with an indexer, a gate or a softcap."""
    if (
        spec.indexer is not None
        or spec.gate != "none"
        or spec.softcap is not None
        or spec.output_norm is not None
        or spec.rope_norm is not None
    ):
        return None
    query, key, value = _widths(spec)
    latents = sum(norm_bytes(spec.latent_norm, rank, width) + width * rank for rank in (spec.kv_rank, spec.query_rank or 0) if rank)
    return latents + width * (query + key + 2 * value) + 4 * spec.query_heads
