"""Rows of attention in several streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attention import rows as attention_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.ngram_attention import NgramAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: NgramAttention, at: Place) -> Iterator[Row]:
    """Those of softmax attention, and the map to the biases of all buckets and heads."""
    yield from attention_rows(spec, at)
    yield from at.matrix("relative_map", spec.buckets * spec.query_heads, at.hidden, bias=True)
