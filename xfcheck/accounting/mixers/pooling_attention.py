"""Funnel's attention, as transformers' torch path executes it (models/funnel/modeling_funnel.py, 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import NOTHING, Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.pooling_attention import PoolingAttention
    from ..run import Run


def work(spec: PoolingAttention, run: Run, stream: str) -> Work:
    """Q queries, K keys, heads of width d_h: 2 H d_h (2 Q K + 2 Q) for content, values and segments.

    Shifted: 2 H d_h Q T for T = 2 Q positions (2 Q + K where the queries were just pooled) and 2 T d H d_h to map them, once for the batch.
    Factorized: 2 Q d H d_h to map the queries and 4 Q K H d for the two products with sines.
    """
    queries = run.filled(stream)
    if not queries:
        return NOTHING
    keys = run.filled(spec.keys_stream or stream)
    wide, read = 2 * spec.query_heads * spec.head_dim, spec.input_size or 0
    own = wide * (2 * queries * keys + 2 * queries)
    if spec.factorized:
        done = run.batch * (own + wide * queries * read + 4 * spec.query_heads * queries * keys * read)
    else:
        positions = 2 * queries + (keys if keys != queries else 0)
        done = run.batch * (own + wide * queries * positions) + wide * positions * read
    return Work(full=done, visible=done)


def holds(spec: PoolingAttention, stream: str) -> list[Held]:
    """Nothing: it is an encoder's."""
    return []
