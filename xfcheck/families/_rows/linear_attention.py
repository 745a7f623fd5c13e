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
    widths, outputs = spec.widths, spec.outputs * spec.value_dim
    for part, size in widths.items():
        yield from at.matrix(part, size, at.hidden)
    if spec.gate:
        yield from at.matrix("gate", outputs, at.hidden)
    if spec.kernel:
        for part in spec.convolved:
            yield from at.vector(f"{part}_conv", widths[part], 1, spec.kernel)
    yield from at.norm("gated_norm", spec.gated_norm, spec.value_dim)
    yield from at.matrix("out", at.hidden, outputs)
