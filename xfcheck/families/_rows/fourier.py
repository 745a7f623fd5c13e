"""Rows of a Fourier transform: none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.fourier import Fourier
    from ...ledger import Row
    from .place import Place


def rows(spec: Fourier, at: Place) -> Iterator[Row]:
    """No tensor."""
    return iter(())
