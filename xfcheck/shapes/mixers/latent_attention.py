"""Latent attention: the latents, and what they are expanded to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.latent_attention import LatentAttention
    from .. import Activation, Where


def activations(spec: LatentAttention, at: Where) -> Iterator[Activation]:
    """Latents [B, n, r_kv + d_r]; every head's keys are d_n + d_r wide, its values d_v."""
    batch, heads = ("B", at.batch), ("H_q", spec.query_heads)
    wide = ("d_n+d_r", spec.nope_dim + spec.rope_dim)
    if spec.query_rank is not None:
        yield at.row("query_latent", [*at.stream, ("r_q", spec.query_rank)])
    yield at.row("query", [batch, heads, at.tokens, wide])
    yield at.row("latent", [*at.stream, ("r_kv", spec.kv_rank) if spec.rope_apart else ("r_kv+d_r", spec.kv_rank + spec.rope_dim)])
    yield at.row("key", [batch, heads, at.tokens, wide])
    yield at.row("value", [batch, heads, at.tokens, ("d_v", spec.value_dim)])
    for name in ("scores", "weights"):
        yield at.row(name, [batch, heads, at.tokens, at.tokens], materialised=False)
    yield at.row("heads", [batch, heads, at.tokens, ("d_v", spec.value_dim)])
    yield at.row("concat", [*at.stream, ("H_q*d_v", spec.query_heads * spec.value_dim)])
    yield at.row("output", [*at.stream, ("d", at.hidden if spec.output_size is None else spec.output_size)])
