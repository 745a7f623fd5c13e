"""Rows of attention between streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.stream_attention import StreamAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: StreamAttention, at: Place) -> Iterator[Row]:
    """Query, key, value and output with biases; keys and values multiply the other stream's vectors."""
    read = spec.keys_size or at.hidden
    yield from at.norm("keys_norm", spec.keys_norm, read)
    yield from at.matrix("query", spec.query_heads * spec.head_dim, at.hidden, bias=True)
    yield from at.matrix("key", spec.kv_heads * spec.head_dim, read, bias=True, stream=spec.keys_stream)
    yield from at.matrix("value", spec.kv_heads * spec.values, read, bias=True, stream=spec.keys_stream)
    yield from at.matrix("output", spec.output_size or at.hidden, spec.query_heads * spec.values, bias=True)
