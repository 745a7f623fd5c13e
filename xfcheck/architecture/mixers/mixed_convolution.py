"""Attention beside a convolution whose kernels are made from the tokens (Jiang et al. 2020, arXiv 2008.02496)."""

from typing import Literal

from .attention import Attention


class MixedConvolution(Attention):
    """Half of the width is softmax attention over `query_heads`, half a convolution of `kernel` taps.

    Its kernels `[heads * kernel, H * head_dim]` are made for every token from the query times a separable convolution of the input
    (depthwise `[d, 1, kernel]`, pointwise `[H * head_dim, d, 1]`, a bias). `output` reads both halves. `absent`: it attends to a memory
    that the config does not have.
    """

    kind: Literal["mixed_convolution"] = "mixed_convolution"  # type: ignore[assignment]
    kernel: int
    absent: bool = False
