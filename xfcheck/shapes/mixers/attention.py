"""Softmax attention: queries, keys, values by heads, scores, weights, the heads' output before and after its matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.mixers.cross_attention import CrossAttention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.attention import Attention
    from .. import Activation, Where


def activations(spec: Attention, at: Where) -> Iterator[Activation]:
    """[B, H_q, n, d_h] and so on; the keys of cross attention are the other stream's, so that its scores are [B, H_q, m, n]."""
    cross = isinstance(spec, CrossAttention)
    if isinstance(spec, CrossAttention) and spec.memory == "absent":
        return
    seen = at.memory if cross else at.tokens
    batch, queries, keys = ("B", at.batch), ("H_q", spec.query_heads), ("H_kv", spec.kv_heads)
    yield at.row("query", [batch, queries, at.tokens, ("d_h", spec.head_dim)])
    if not spec.shares_cache:
        yield at.row("key", [batch, keys, seen, ("d_h", spec.head_dim)])
        yield at.row("value", [batch, keys, seen, ("d_v", spec.values)])
    for name in ("scores", "weights"):
        yield at.row(name, [batch, queries, at.tokens, seen], materialised=False)
    yield at.row("heads", [batch, queries, at.tokens, ("d_v", spec.values)])
    yield at.row("concat", [*at.stream, ("H_q*d_v", spec.query_heads * spec.values)])
    if spec.output_matrix:
        yield at.row("output", [*at.stream, ("d", at.hidden if spec.output_size is None else spec.output_size)])
