"""Attention within blocks and to trained global vectors (Phang et al. 2022, arXiv 2208.04347)."""

from typing import Literal

from .attention import Attention


class GlobalLocalAttention(Attention):
    """Each query meets its block of `block` tokens and `globals` vectors that stand beside the sequence; those meet everything.

    `staggered`: the blocks of this layer lie half a block off, with half a block of padding at either end. `input_size` is needed for what
    that padding costs.
    """

    kind: Literal["global_local_attention"] = "global_local_attention"  # type: ignore[assignment]
    block: int
    globals: int
    staggered: bool = False
