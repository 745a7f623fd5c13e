"""Rows of attention over a window and compressed entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.compressed_attention import CompressedAttention
    from ...architecture.norm import Norm
    from ...ledger import Row
    from .place import Place


def rows(spec: CompressedAttention, at: Place) -> Iterator[Row]:
    """Projections and sinks, the compressor of entries, and the indexer with a compressor of its own."""
    wide, inner = at.hidden, spec.query_heads * spec.head_dim
    yield from at.matrix("query_a", spec.query_rank, wide)
    yield from at.norm("query_norm", spec.latent_norm, spec.query_rank)
    yield from at.matrix("query_b", inner, spec.query_rank)
    yield from at.matrix("key", spec.head_dim, wide)
    yield from at.norm("key_norm", spec.latent_norm, spec.head_dim)
    yield from at.matrix("output_a", spec.groups * spec.output_rank, inner // spec.groups)
    yield from at.matrix("output_b", wide, spec.groups * spec.output_rank)
    yield from at.vector("sinks", spec.query_heads, dtype="float32")
    if spec.stride is None:
        return
    yield from _compressor(at, "compressor", spec.series * spec.head_dim, spec.stride, spec.latent_norm, spec.head_dim)
    indexer = spec.indexer
    if indexer is not None:
        yield from _compressor(at, "indexer", spec.series * indexer.head_dim, spec.stride, spec.latent_norm, indexer.head_dim)
        yield from at.matrix("indexer_query", indexer.heads * indexer.head_dim, spec.query_rank)
        yield from at.matrix("indexer_weights", indexer.heads, wide)


def _compressor(at: Place, name: str, width: int, stride: int, norm: Norm, entry: int) -> Iterator[Row]:
    yield from at.matrix(f"{name}_value", width, at.hidden)
    yield from at.matrix(f"{name}_gate", width, at.hidden)
    yield from at.vector(f"{name}_bias", stride, width, dtype="float32")
    yield from at.norm(f"{name}_norm", norm, entry)
