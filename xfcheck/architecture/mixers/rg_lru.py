"""The recurrent block of Griffin (De et al. 2024, arXiv 2402.19427): a real-gated linear recurrent unit beside a gate."""

from typing import ClassVar, Literal

from ..part import Mixer


class RgLru(Mixer):
    """`out(rg_lru(conv(x)) * act(y))`, x and y projections to `width`; a causal depthwise convolution of `kernel` taps. All have biases.

    The unit's two gates are block-diagonal matrices of `heads` blocks. State a layer: one vector of `width` in 32 bits, and `kernel - 1`
    convolution columns, whatever the length.
    """

    component: ClassVar[str] = "linear_attention"
    kind: Literal["rg_lru"] = "rg_lru"
    width: int
    heads: int
    kernel: int
    activation: str = "gelu_pytorch_tanh"
