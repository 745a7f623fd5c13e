"""The gated delta rule: convolved queries, keys and values, gate, rates, output."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...architecture.mixers.gated_delta import GatedDelta


def alive(spec: GatedDelta, hidden: int) -> int:
    """The input with all maps; queries, keys and values before and after the convolution; these with gate and output."""
    wide = spec.conv_size + spec.values + 2 * spec.value_heads
    return max(hidden + wide, wide + spec.conv_size, wide + spec.values, spec.values + hidden)
