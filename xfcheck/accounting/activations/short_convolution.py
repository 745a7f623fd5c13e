"""A gated short convolution: b, c and x, the gated input, its convolution, the output."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...architecture.mixers.short_convolution import ShortConvolution


def alive(spec: ShortConvolution, hidden: int) -> int:
    """The input with all three; c with the gated input and its convolution; the output."""
    return max(hidden + 3 * spec.channels, 4 * spec.channels, spec.channels + hidden)
