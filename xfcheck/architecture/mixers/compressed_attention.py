"""Attention over a window and over compressed entries of everything before it (DeepSeek-V4)."""

from typing import ClassVar, Literal

from ..masks import Mask
from ..norm import Norm
from ..part import Mixer
from .attention import Position
from .latent_attention import Indexer


class CompressedAttention(Mixer):
    """Queries of H heads through a rank, one head whose key is its value, an output through groups, and trained sinks.

    Shapes: query_a `[query_rank, d]`, query_b `[H * head_dim, query_rank]`, key `[head_dim, d]`, output_a `[groups * output_rank,
    H * head_dim / groups]` (each group of heads meets its own rows), output_b `[d, groups * output_rank]`, sinks `[H]`.
    `stride`: one entry is kept of every so many tokens, null for a layer with the window alone. An entry is a weighted sum over its
    tokens: maps `[f * head_dim, d]` for values and weights and a bias `[stride, f * head_dim]`; `overlapping` entries (f = 2, else 1)
    sum over the tokens before theirs too, and an `indexer` of the same make at its own width picks `top_k` of them a query.
    """

    component: ClassVar[str] = "attention"
    kind: Literal["compressed_attention"] = "compressed_attention"
    query_heads: int
    head_dim: int
    query_rank: int
    groups: int
    output_rank: int
    latent_norm: Norm = Norm()
    stride: int | None = None
    overlapping: bool = False
    indexer: Indexer | None = None
    mask: Mask
    position: Position | None = None
    dropout: float = 0.0

    @property
    def series(self) -> int:
        """How many vectors a token gives to entries: its own and the next one's where they overlap."""
        return 2 if self.overlapping else 1
