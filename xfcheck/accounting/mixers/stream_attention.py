"""Attention between streams: every query with every key, as many of each as their streams carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.stream_attention import StreamAttention
    from ..run import Run


def work(spec: StreamAttention, run: Run, stream: str) -> Work:
    """2 (d_k + d_v) H FLOPs a pair."""
    pairs = run.batch * run.filled(stream) * run.filled(spec.keys_stream or stream)
    done = 2 * spec.query_heads * (spec.head_dim + spec.values) * pairs
    return Work(full=done, visible=done)


def holds(spec: StreamAttention, stream: str) -> list[Held]:
    """Nothing: it is an encoder's."""
    return []
