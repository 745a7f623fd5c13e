"""Selective state space, first generation (Gu and Dao 2023, arXiv 2312.00752)."""

from typing import ClassVar, Literal

from ..norm import Norm
from ..part import Mixer


class Mamba(Mixer):
    """Mamba-1: a causal depthwise convolution of `kernel` taps and a recurrence whose step depends on the token.

    Shapes: in `[2 * inner, d]`, x `[rank + 2 * state, inner]`, dt `[inner, rank]`, A `[inner, state]`, out `[d, inner]`.

    `inner_norms`: norms on dt, B and C (Jamba). State a layer: `[inner, state]` and `kernel` convolution columns, whatever the length.
    `heads`: x, dt and A of that many slices of the width, each `[heads, ...]` (Zamba); null where there is one of the whole width.
    """

    component: ClassVar[str] = "ssm"
    kind: Literal["mamba"] = "mamba"
    inner_size: int
    state_size: int
    kernel: int
    rank: int
    conv_bias: bool = True
    bias: bool = False
    heads: int | None = None
    inner_norms: Norm | None = None
    activation: str = "silu"
