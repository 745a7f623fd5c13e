"""Attention with a memory of hidden states and relative positions (arXiv 1901.02860, as in XLNet, arXiv 1906.08237)."""

from typing import Literal

from .attention import Attention


class MemoryAttention(Attention):
    """Keys and values are made anew in every pass from the last `memory` inputs of the layer (null: all) and the new ones, which stay.

    Query, key, value, output and the map of positions are `[d, H, head_dim]`, three biases of the scores `[H, head_dim]`, the vectors of
    the same and the other segment `[2, H, head_dim]`. n queries after m remembered tokens meet 2 n + m positions, or n + m + 1 where
    attention is causal.
    """

    kind: Literal["memory_attention"] = "memory_attention"  # type: ignore[assignment]
    memory: int | None = None
