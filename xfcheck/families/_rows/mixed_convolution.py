"""Rows of ConvBERT's mixed attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.mixed_convolution import MixedConvolution
    from ...ledger import Row
    from .place import Place


def rows(spec: MixedConvolution, at: Place) -> Iterator[Row]:
    """Query, key and value of half the width, the separable convolution, the map that makes kernels, its values, the output."""
    if spec.absent:
        at = at.at(at.slot, at.component, stream="absent")
    wide, half = at.hidden if spec.input_size is None else spec.input_size, spec.query_heads * spec.head_dim
    for part in ("query", "key", "value"):
        yield from at.matrix(part, half, wide, bias=True)
    yield from at.vector("depthwise", wide, 1, spec.kernel)
    yield at.row("pointwise", (half, wide, 1), multiplies=True)
    yield at.row("pointwise_bias", (half, 1))
    yield from at.matrix("kernels", spec.query_heads * spec.kernel, half, bias=True)
    yield from at.matrix("convolved", half, wide, bias=True)
    yield from at.matrix("output", at.hidden if spec.output_size is None else spec.output_size, wide, bias=True)
