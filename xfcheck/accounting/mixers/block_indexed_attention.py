"""Attention over picked blocks of keys: executed over all keys with a mask, as the reference's eager kernel does.

The indexer scores all keys too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pairs import full
from ._parts import Held, Work
from .attention import holds as attention_holds

if TYPE_CHECKING:
    from ...architecture.mixers.block_indexed_attention import BlockIndexedAttention, BlockIndexer
    from ..run import Run


def work(spec: BlockIndexedAttention, run: Run, stream: str) -> Work:
    """Scores and values over the whole rectangle, or over the kept blocks; the indexer's scores are computed for every pair in both."""
    new, past = run.length(stream)
    pair = 2 * spec.query_heads * (spec.head_dim + spec.values) * run.batch
    whole = full(spec.mask, new, past)
    index = 2 * spec.indexer.heads * spec.indexer.head_dim * run.batch * whole
    seen = kept(spec.indexer, past + new) - kept(spec.indexer, past)
    return Work(full=pair * whole + index, visible=pair * seen + index)


def kept(indexer: BlockIndexer, length: int) -> int:
    """Pairs of the first `length` queries with the keys of their blocks.

    The query's own block counts as kept (it always is, with a local block): a query at position t sees min(t + 1, (top_blocks - 1) *
    block + t mod block + 1) keys. Nothing is summed over positions.
    """
    block, top = indexer.block, indexer.top_blocks
    dense = min(length, top * block)
    whole, rest = divmod(length - dense, block)
    inside = whole * block * (block + 1) // 2 + rest * (rest + 1) // 2
    return dense * (dense + 1) // 2 + (length - dense) * (top - 1) * block + inside


def holds(spec: BlockIndexedAttention, stream: str) -> list[Held]:
    """Keys and values of every token, and the indexer's key."""
    return [*attention_holds(spec, stream), Held("indexer", per_token=spec.indexer.head_dim)]
