"""Attention with relative positions whose queries may be pooled (Dai et al. 2020, arXiv 2006.03236)."""

from typing import Literal

from .attention import Attention


class PoolingAttention(Attention):
    """Scores of content, of relative positions and of segments; `keys_stream` is that of the stack before, where keys are not pooled yet.

    Query `[H * head_dim, d]` without bias, key and value with, a map of positions `[d, H, head_dim]`, three biases of the scores
    `[H, head_dim]`, the vectors of the segments `[2, H, head_dim]`. `factorized`: positions as sines of query and key times those of their
    difference, else shifted rows of all differences.
    """

    kind: Literal["pooling_attention"] = "pooling_attention"  # type: ignore[assignment]
    keys_stream: str | None = None
    factorized: bool = False
