"""Rows of attention over neighbouring blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attention import rows as attention_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.blocked_attention import BlockedAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: BlockedAttention, at: Place) -> Iterator[Row]:
    """Those of softmax attention, and of the summaries a norm and a bias table beside the other one."""
    yield from attention_rows(spec, at)
    if spec.summary_block is None:
        return
    yield from at.norm("summary_norm", spec.summary_norm, at.hidden)
    position = spec.position
    if position is not None and getattr(position, "kind", "") == "relative_bias" and position.table:  # type: ignore[attr-defined]
        yield from at.vector("summary_bias", position.buckets, spec.query_heads, component="position_embedding")  # type: ignore[attr-defined]
