"""Attention over neighbouring blocks, as transformers' torch path executes it (models/longt5/modeling_longt5.py, 5.24; canine's alike)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pairs import visible
from ._parts import NOTHING, Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.blocked_attention import BlockedAttention
    from ..run import Run


def work(spec: BlockedAttention, run: Run, stream: str) -> Work:
    """2 (d_k + d_v) H FLOPs a pair: ceil(n / L) blocks of L queries and 3 L keys, and G = n // summary_block summaries a query.

    The summaries cost 2 n G d for the sums and 2 G d H (d_k + d_v) for their keys and values; both are counted here, in full and visible
    alike, and not among the weights' products. Blocks that stand apart: L L pairs each, and those of a shorter last one.
    """
    new, past = run.length(stream)
    if not new:
        return NOTHING
    heads = 2 * spec.query_heads * (spec.head_dim + spec.values) * run.batch
    if spec.apart:
        whole, rest = divmod(new, spec.block)
        pairs = heads * (whole * spec.block**2 + rest**2)
        return Work(full=pairs, visible=pairs)
    queries = -(-new // spec.block) * spec.block
    summaries = new // spec.summary_block if spec.summary_block else 0
    width = spec.input_size or 0
    made = run.batch * 2 * new * summaries * width + heads * summaries * width
    return Work(
        full=heads * queries * (3 * spec.block + summaries) + made, visible=heads * (visible(spec.mask, new, past) + new * summaries) + made
    )  # fmt: skip


def holds(spec: BlockedAttention, stream: str) -> list[Held]:
    """Nothing: it is an encoder's."""
    return []
