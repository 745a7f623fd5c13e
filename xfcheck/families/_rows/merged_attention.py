"""Rows of self-attention and cross attention in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attention import rows as attention_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.merged_attention import MergedAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: MergedAttention, at: Place) -> Iterator[Row]:
    """Those of softmax attention; the key and value maps multiply the source too."""
    for row in attention_rows(spec, at):
        yield row._replace(stream="both") if row.role.multiplies and row.role.part in ("key", "value") else row
