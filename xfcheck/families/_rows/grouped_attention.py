"""Rows of attention with grouped maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.grouped import GroupedAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: GroupedAttention, at: Place) -> Iterator[Row]:
    """Query, key, value and output as convolutions of one tap."""
    wide = spec.query_heads * spec.head_dim
    for part, groups in (
        ("query", spec.query_groups),
        ("key", spec.key_groups),
        ("value", spec.value_groups),
        ("output", spec.output_groups),
    ):
        out, read = (at.hidden, wide) if part == "output" else (wide, at.hidden)
        yield at.row(part, (out, read // groups, 1), multiplies=True)
        yield at.row(part, (out,), ending=".bias", suffix="_bias")
