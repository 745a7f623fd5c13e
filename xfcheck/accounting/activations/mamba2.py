"""Mamba-2: gate, convolved x, B and C, steps, output."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...architecture.mixers.mamba2 import Mamba2


def alive(spec: Mamba2, hidden: int) -> int:
    """The input with its whole map; the map before and after the convolution; gate, x, B, C, steps and the output."""
    wide = spec.inner_size + spec.conv_size + spec.heads
    return max(hidden + wide, wide + spec.conv_size, wide + spec.inner_size, spec.inner_size + hidden)
