"""Softmax attention: queries, keys, values by heads, scores, weights, the heads' output before and after its matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...architecture.mixers.cross_attention import CrossAttention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.attention import Attention
    from .. import Activation, Where


def activations(spec: Attention, at: Where) -> Iterator[Activation]:
    """[B, H_q, n, d_h] and so on; the keys of cross attention are the other stream's, so that its scores are [B, H_q, m, n].

    Merged attention has scores over both, [B, H_q, m, m+n]; landmarks have [B, H_q, n, L] and no whole rectangle.
    """
    cross = isinstance(spec, CrossAttention)
    if getattr(spec, "memory", None) == "absent" or getattr(spec, "absent", False):
        return
    seen = at.memory if cross and not _beside(spec) else at.tokens
    batch, queries, keys = ("B", at.batch), ("H_q", spec.query_heads), ("H_kv", spec.kv_heads)
    yield at.row("query", [batch, queries, at.tokens, ("d_h", spec.head_dim)])
    if not spec.shares_cache:
        yield at.row("key", [batch, keys, seen, ("d_h", spec.head_dim)])
        yield at.row("value", [batch, keys, seen, ("d_v", spec.values)])
    yield from _scores(spec, at, seen)
    yield at.row("heads", [batch, queries, at.tokens, ("d_v", spec.values)])
    yield at.row("concat", [*at.stream, ("H_q*d_v", spec.query_heads * spec.values)])
    if spec.output_matrix:
        yield at.row("output", [*at.stream, ("d", at.hidden if spec.output_size is None else spec.output_size)])


def _beside(spec: Any) -> bool:
    """Whether keys come from vectors of a tower, which are as many as the stack's own here."""
    return spec.memory in ("image", "audio")


def _scores(spec: Any, at: Where, seen: tuple[str, int]) -> Iterator[Activation]:
    first = [("B", at.batch), ("H_q", spec.query_heads), at.tokens]
    if getattr(spec, "uncounted", False):
        return
    if getattr(spec, "landmarks", None) is not None:
        yield at.row("landmark_scores", [*first, ("L", spec.landmarks)])
        return
    if spec.kind == "merged_attention":
        seen = (f"{seen[0]}+{at.memory[0]}", seen[1] + at.memory[1])
    for name in ("scores", "weights"):
        yield at.row(name, [*first, seen], materialised=False)
