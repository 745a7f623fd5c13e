"""Attention over blocks of keys that a small attention picks (Qwen4-Exp)."""

from typing import ClassVar, Literal

from .attention import Attention


class IndexedAttention(Attention):
    """Grouped-query attention of which each query sees the best `budget` tokens, whole blocks of `ratio`, and the tail that fills no block.

    The indexer has `index_heads` queries and one key of `index_dim`, from one matrix `[(index_heads + 1) * index_dim, d]`, both normalised;
    a block's key is the mean of its tokens'. It keeps its keys; `positions`: this layer's cache also keeps three 64-bit positions a token
    for all indexers.
    """

    component: ClassVar[str] = "attention"
    kind: Literal["indexed_attention"] = "indexed_attention"  # type: ignore[assignment]
    index_heads: int
    index_dim: int
    budget: int
    ratio: int
    positions: bool = False
