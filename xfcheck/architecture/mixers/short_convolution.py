"""Gated short convolution (LFM2): a few taps in depth between two gates."""

from typing import ClassVar, Literal

from ..part import Mixer


class ShortConvolution(Mixer):
    """`out(c * conv(b * x))`, b, c and x from one projection `[3 d, d]`; a causal depthwise convolution of `kernel` taps over d channels.

    `bias` is of all three. State a layer: `kernel` columns of d, whatever the length.
    """

    component: ClassVar[str] = "convolution"
    kind: Literal["short_convolution"] = "short_convolution"
    channels: int
    kernel: int
    bias: bool = False
