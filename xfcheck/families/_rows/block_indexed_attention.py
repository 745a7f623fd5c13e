"""Rows of attention over blocks that an indexer picks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attention import rows as attention_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.block_indexed_attention import BlockIndexedAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: BlockIndexedAttention, at: Place) -> Iterator[Row]:
    """Those of the attention under its own names, and the indexer's two projections and norms."""
    wide = at.hidden if spec.input_size is None else spec.input_size
    yield from attention_rows(spec, at.at("attention", at.component))
    indexer = spec.indexer
    yield from at.matrix("indexer_query", indexer.heads * indexer.head_dim, wide)
    yield from at.matrix("indexer_key", indexer.head_dim, wide)
    yield from at.norm("indexer_query_norm", indexer.norm, indexer.head_dim)
    yield from at.norm("indexer_key_norm", indexer.norm, indexer.head_dim)
