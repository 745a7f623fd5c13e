"""Rows of attention whose queries may be pooled."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.pooling_attention import PoolingAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: PoolingAttention, at: Place) -> Iterator[Row]:
    """Maps, of which keys and values multiply the tokens before pooling and that of positions none; biases and segments."""
    wide, by_head = spec.query_heads * spec.head_dim, (spec.query_heads, spec.head_dim)
    yield from at.matrix("query", wide, at.hidden)
    yield from at.matrix("key", wide, at.hidden, bias=True, stream=spec.keys_stream)
    yield from at.matrix("value", wide, at.hidden, bias=True, stream=spec.keys_stream)
    yield from at.matrix("output", at.hidden, wide, bias=True)
    yield at.row("position_key", (at.hidden, *by_head), multiplies=True, stream="absent")
    for part in ("content_bias", "position_bias", "segment_bias"):
        yield at.row(part, by_head)
    yield at.row("segments", (2, *by_head))
