"""Rows of attention with an indexer over blocks of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attention import rows as attention_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.indexed_attention import IndexedAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: IndexedAttention, at: Place) -> Iterator[Row]:
    """Attention's, and the indexer's matrix and norms."""
    yield from attention_rows(spec, at)
    yield from at.matrix("index", (spec.index_heads + 1) * spec.index_dim, at.hidden)
    yield from at.norm("index_query_norm", spec.query_norm and spec.query_norm.model_copy(update={"size": spec.index_dim}), spec.index_dim)
    yield from at.norm("index_key_norm", spec.key_norm and spec.key_norm.model_copy(update={"size": spec.index_dim}), spec.index_dim)
