"""Rows of attention inside chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.bucketed_attention import BucketedAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: BucketedAttention, at: Place) -> Iterator[Row]:
    """Query and key, or one map for both, value and output; no bias."""
    wide = spec.query_heads * spec.head_dim
    for part in ("query", "key") if spec.hashes is None else ("query_key",):
        yield from at.matrix(part, wide, at.hidden)
    yield from at.matrix("value", wide, at.hidden)
    yield from at.matrix("output", at.hidden, wide)
