"""Rows of linear attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.linear_attention import LinearAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: LinearAttention, at: Place) -> Iterator[Row]:
    """Query, key, value, gate, their convolutions, the norm of the output and the output."""
    widths = (("query", spec.heads * spec.key_dim), ("key", spec.kv_heads * spec.key_dim), ("value", spec.kv_heads * spec.value_dim))
    values = spec.heads * spec.value_dim
    for part, size in widths:
        yield from at.matrix(part, size, at.hidden)
    if spec.gate:
        yield from at.matrix("gate", values, at.hidden)
    if spec.kernel:
        for part, size in widths:
            yield from at.vector(f"{part}_conv", size, 1, spec.kernel)
    yield from at.norm("gated_norm", spec.gated_norm, spec.value_dim)
    yield from at.matrix("out", at.hidden, values)
