"""Rows of an mLSTM."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.mlstm import MLstm
    from ...ledger import Row
    from .place import Place


def rows(spec: MLstm, at: Place) -> Iterator[Row]:
    """Projections as packed, the gates a head with their biases, the norm of the output and the output."""
    if spec.packing == "fused":
        yield from at.matrix("qkvo", 2 * spec.keys + 2 * spec.values, at.hidden, bias=spec.bias)
        yield from at.matrix("gates", 2 * spec.heads, at.hidden, bias=True)
    else:
        for part, size in (("query", spec.keys), ("key", spec.keys), ("value", spec.values), ("gate", spec.values)):
            yield from at.matrix(part, size, at.hidden, bias=spec.bias)
        for part in ("input_gate", "forget_gate"):
            yield from at.matrix(part, spec.heads, at.hidden, bias=True)
    yield from at.norm("head_norm", spec.head_norm, spec.heads * spec.value_dim)
    yield from at.matrix("out", at.hidden, spec.values, bias=spec.bias)
