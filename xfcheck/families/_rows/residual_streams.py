"""Residual streams have no weights of their own: their coefficients come from projections."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.part import Mixer
    from ...ledger import Row
    from .place import Place


def rows(spec: Mixer, at: Place) -> Iterator[Row]:
    """No row."""
    return iter(())
