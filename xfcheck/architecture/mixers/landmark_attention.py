"""Softmax attention through landmarks (Xiong et al. 2021, arXiv 2102.03902), or plain, with a convolution over the values."""

from typing import Literal

from .attention import Attention


class LandmarkAttention(Attention):
    """`landmarks` means of consecutive queries and keys stand for all of them; null is every query with every key.

    `iterations` of Newton's method invert the landmarks' scores. `kernel`: taps of a depthwise convolution `[H, 1, kernel, 1]` of the
    values along the tokens that is added to the result, null for none. `uncounted`: the products run in a kernel that torch does not see.
    """

    kind: Literal["landmark_attention"] = "landmark_attention"  # type: ignore[assignment]
    landmarks: int | None = None
    iterations: int = 6
    kernel: int | None = None
    uncounted: bool = False
