"""A short convolution added to what it reads: a few taps in depth, a channel at a time."""

from typing import ClassVar, Literal

from ..part import Mixer


class TokenFilter(Mixer):
    """`x + conv(x)`, a causal depthwise convolution of `kernel` taps without bias over `channels` of what the mixers before it computed.

    `groups`: the taps are those of the filter and some that the token gives, `groups * kernel` from a matrix over the residual stream; then
    the filter is stored `[kernel, channels]` and nothing is a convolution (a sum of products element by element).
    State a layer: `kernel` columns, whatever the length, in 32 bits where `wide` says that it is computed so.
    """

    component: ClassVar[str] = "convolution"
    kind: Literal["token_filter"] = "token_filter"
    channels: int
    kernel: int
    wide: bool = True
    groups: int | None = None
