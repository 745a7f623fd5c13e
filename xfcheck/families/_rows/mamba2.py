"""Rows of a Mamba-2 mixer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.mamba2 import Mamba2
    from ...ledger import Row
    from .place import Place


def rows(spec: Mamba2, at: Place) -> Iterator[Row]:
    """Projections, depthwise convolution over x, B and C, one decay, skip and step bias a head, the gated norm."""
    yield from at.matrix("in", spec.inner_size + spec.conv_size + spec.heads, at.hidden, bias=spec.bias)
    yield from at.vector("conv", spec.conv_size, 1, spec.kernel)
    if spec.conv_bias:
        yield at.row("conv", (spec.conv_size,), ending=".bias", suffix="_bias")
    for part in ("dt_bias", "decay", "skip"):
        yield from at.vector(part, spec.heads)
    yield from at.norm("gated_norm", spec.gated_norm, spec.inner_size)
    yield from at.matrix("out", at.hidden, spec.inner_size, bias=spec.bias if spec.output_bias is None else spec.output_bias)
