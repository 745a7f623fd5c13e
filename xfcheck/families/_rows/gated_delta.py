"""Rows of a gated delta rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .convolution import depthwise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.gated_delta import GatedDelta
    from ...ledger import Row
    from .place import Place


def rows(spec: GatedDelta, at: Place) -> Iterator[Row]:
    """Projections as packed, the depthwise convolution, step bias and decay a value head, the norm of a head and the output."""
    keys, values, heads = spec.keys, spec.values, spec.value_heads
    packed = {
        "grouped": (("qkvz", 2 * keys + 2 * values), ("ba", 2 * heads)),
        "qkv": (("qkv", 2 * keys + values), ("gate", values), ("beta", heads), ("step", heads)),
        "separate": (("query", keys), ("key", keys), ("value", values), ("gate", values), ("beta", heads), ("step", heads)),
        "all": (("in", 2 * keys + 2 * values + 2 * heads),),
    }
    cut = (2 * keys + values, values, heads, heads)
    for part, size in packed[spec.packing]:
        yield from (row._replace(split_sizes=cut) if row.split else row for row in at.matrix(part, size, at.hidden))
    yield from depthwise(at, spec.conv_size, spec.kernel, thirds=spec.split_convolution)
    for part in ("dt_bias", "decay"):
        yield from at.vector(part, heads, component="ssm")
    yield from at.norm("gated_norm", spec.gated_norm, spec.value_dim)
    yield from at.matrix("out", at.hidden, values)
