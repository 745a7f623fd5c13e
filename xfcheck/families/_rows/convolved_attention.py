"""Rows of compressed convolutional attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .convolution import depthwise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.convolved_attention import ConvolvedAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: ConvolvedAttention, at: Place) -> Iterator[Row]:
    """Projections, both convolutions (the grouped one is a weight matrix a head and tap), the scale of the keys.

    The late half of the values also multiplies one token of zeros before the first (stream `delayed`).
    """
    has, half = spec.biases, spec.kv_heads * spec.head_dim // 2
    yield from at.matrix("query", spec.query_heads * spec.head_dim, at.hidden, bias="query" in has)
    yield from at.matrix("key", spec.kv_heads * spec.head_dim, at.hidden, bias="key" in has)
    yield from at.matrix("value", half, at.hidden, bias="value" in has)
    yield from at.matrix("late_value", half, at.hidden, bias="value" in has, stream="delayed")
    yield from depthwise(at, spec.channels, spec.depthwise_kernel, bias=True, component=spec.component)
    yield at.row("grouped_conv", (spec.channels, spec.head_dim, spec.grouped_kernel), multiplies=True)
    yield at.row("grouped_conv", (spec.channels,), ending=".bias", suffix="_bias")
    yield from at.vector("key_scale", spec.kv_heads)
    yield from at.matrix("output", at.hidden, spec.query_heads * spec.head_dim, bias="output" in has)
