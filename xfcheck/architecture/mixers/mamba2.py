"""Selective state space, second generation (Dao and Gu 2024, arXiv 2405.21060)."""

from typing import ClassVar, Literal

from ..norm import Norm
from ..part import Mixer


class Mamba2(Mixer):
    """Mamba-2: a depthwise convolution over `inner + 2 * groups * state` channels, one decay, skip and step bias a head.

    Shapes: in `[2 * inner + 2 * groups * state + heads, d]`, out `[d, inner]`.

    `inner` is heads * head_dim. `gated_norm` normalises the gated output. State a layer: `[heads, head_dim, state]`, and `kernel`
    convolution columns. `chunk` is the block of the parallel scan. `bias` is of in, `output_bias` of out, where it is not the same.
    """

    component: ClassVar[str] = "ssm"
    kind: Literal["mamba2"] = "mamba2"
    heads: int
    head_dim: int
    state_size: int
    groups: int
    kernel: int
    chunk: int = 256
    conv_bias: bool = True
    bias: bool = False
    output_bias: bool | None = None
    gated_norm: Norm | None = None
    activation: str = "silu"

    @property
    def inner_size(self) -> int:
        """Width of the recurrence: heads * head_dim."""
        return self.heads * self.head_dim

    @property
    def conv_size(self) -> int:
        """Channels of the convolution: x, B and C."""
        return self.inner_size + 2 * self.groups * self.state_size
