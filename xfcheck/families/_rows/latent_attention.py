"""Rows of multi-head latent attention and of its indexer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.masks import retained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.latent_attention import LatentAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: LatentAttention, at: Place) -> Iterator[Row]:
    """The low-rank projections and their norms. `kv_b` multiplies every cached latent, in each step anew (stream `latent`)."""
    heads, has = spec.query_heads, spec.biases
    wide = at.hidden if spec.input_size is None else spec.input_size
    query = heads * ((spec.query_dim or spec.nope_dim + spec.rope_dim) + (spec.value_dim if spec.gate == "query" else 0))
    if spec.query_rank is None:
        yield from at.matrix("query", query, wide, bias="query" in has)
    else:
        yield from at.matrix("query_a", spec.query_rank, wide, bias="query_a" in has)
        yield from at.norm("query_norm", spec.latent_norm, spec.query_rank)
        yield from at.matrix("query_b", query, spec.query_input or spec.query_rank, bias="query_b" in has)
    yield from at.matrix("kv_a", spec.kv_rank + (0 if spec.rope_apart else spec.rope_dim), wide, bias="kv_a" in has)
    if spec.rope_apart:
        yield from at.matrix("rope_key", spec.rope_dim, wide)
    yield from at.norm("kv_norm", spec.latent_norm, spec.kv_rank)
    yield from at.norm("rope_norm", spec.rope_norm, spec.rope_dim)
    for row in at.matrix("kv_b", heads * (spec.nope_dim + spec.value_dim), spec.kv_rank, bias="kv_b" in has, stream="latent"):
        yield row._replace(kept=retained(spec.window))
    yield from at.matrix(
        "output", at.hidden if spec.output_size is None else spec.output_size, heads * spec.value_dim, bias="output" in has
    )
    yield from at.norm("inner_norm", spec.output_norm, heads * spec.value_dim)
    if spec.gate in ("elementwise", "headwise"):
        yield from at.matrix("gate", heads * (spec.value_dim if spec.gate == "elementwise" else 1), wide)
    if spec.sinks:
        yield from at.vector("sinks", heads)
    indexer = spec.indexer
    if indexer is not None and not indexer.shared:
        yield from at.matrix("indexer_query", indexer.heads * indexer.head_dim, spec.query_rank or wide)
        yield from at.matrix("indexer_key", indexer.head_dim, wide)
        yield from at.norm("indexer_norm", indexer.key_norm, indexer.head_dim)
        yield from at.matrix("indexer_weights", indexer.heads, wide)
