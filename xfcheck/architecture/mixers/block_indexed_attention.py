"""Sparse attention over blocks of keys that a small indexer picks (MiniMax-M3)."""

from typing import ClassVar, Literal

from ..norm import Norm
from ..part import Part
from .attention import Attention


class BlockIndexer(Part):
    """The small attention that scores every key: queries `[heads * head_dim, d]` against one key `[head_dim, d]`, each under a norm.

    Keys are pooled by their largest score into blocks of `block` tokens, of which the `top_blocks` best are kept; the `local_blocks`
    nearest are always among them.
    """

    heads: int
    head_dim: int
    block: int
    top_blocks: int
    local_blocks: int = 1
    norm: Norm = Norm()


class BlockIndexedAttention(Attention):
    """Attention whose queries see `indexer.top_blocks` blocks of keys, chosen for each group of heads."""

    component: ClassVar[str] = "attention"
    kind: Literal["block_indexed_attention"] = "block_indexed_attention"  # type: ignore[assignment]
    indexer: BlockIndexer
