"""Rows of a short convolution that is added to what it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .convolution import depthwise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.token_filter import TokenFilter
    from ...ledger import Row
    from .place import Place


def rows(spec: TokenFilter, at: Place) -> Iterator[Row]:
    """One filter a channel, and the matrix of the taps that a token gives."""
    if spec.groups is not None:
        yield from at.vector("static", spec.kernel, spec.channels)
        yield from at.matrix("taps", spec.groups * spec.kernel, at.hidden)
        return
    yield from depthwise(at, spec.channels, spec.kernel, component=spec.component)
