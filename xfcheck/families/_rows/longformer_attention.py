"""Rows of Longformer's attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attention import rows as attention_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.longformer_attention import LongformerAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: LongformerAttention, at: Place) -> Iterator[Row]:
    """Those of softmax attention, and three more maps that only marked tokens use: no token is taken to be marked."""
    yield from attention_rows(spec, at)
    if spec.global_maps:
        wide = at.hidden if spec.input_size is None else spec.input_size
        for part, heads, width in (
            ("query", spec.query_heads, spec.head_dim),
            ("key", spec.kv_heads, spec.head_dim),
            ("value", spec.kv_heads, spec.values),
        ):
            yield from at.matrix(f"{part}_global", heads * width, wide, bias=part in spec.biases, stream="absent")
