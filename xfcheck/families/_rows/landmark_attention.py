"""Rows of attention through landmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attention import rows as attention_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.landmark_attention import LandmarkAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: LandmarkAttention, at: Place) -> Iterator[Row]:
    """Those of softmax attention, and the depthwise convolution of the values."""
    yield from attention_rows(spec, at)
    if spec.kernel:
        yield from at.vector("convolution", spec.query_heads, 1, spec.kernel, 1)
