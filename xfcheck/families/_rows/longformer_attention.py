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
    """Those of softmax attention, and three more maps for marked tokens.

    Where one token a sequence is marked, all tokens are its keys and values; without one the maps do no work.
    """
    yield from attention_rows(spec, at)
    if spec.global_maps:
        wide = at.hidden if spec.input_size is None else spec.input_size
        marked = spec.mask.global_tokens > 0
        for part, heads, width, stream in (
            ("query", spec.query_heads, spec.head_dim, "pooled"),
            ("key", spec.kv_heads, spec.head_dim, at.stream),
            ("value", spec.kv_heads, spec.values, at.stream),
        ):
            yield from at.matrix(f"{part}_global", heads * width, wide, bias=part in spec.biases, stream=stream if marked else "absent")
