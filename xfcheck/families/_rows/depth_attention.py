"""Rows of attention over depth: none, its queries are projections of the stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.depth_attention import DepthAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: DepthAttention, at: Place) -> Iterator[Row]:
    """Nothing."""
    yield from ()
