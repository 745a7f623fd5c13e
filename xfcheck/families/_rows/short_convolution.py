"""Rows of a gated short convolution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .convolution import depthwise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.short_convolution import ShortConvolution
    from ...ledger import Row
    from .place import Place


def rows(spec: ShortConvolution, at: Place) -> Iterator[Row]:
    """Both projections and the filter between them."""
    yield from at.matrix("in", 3 * spec.channels, at.hidden, bias=spec.bias)
    yield from depthwise(at, spec.channels, spec.kernel, bias=spec.bias, component=spec.component)
    yield from at.matrix("out", at.hidden, spec.channels, bias=spec.bias)
