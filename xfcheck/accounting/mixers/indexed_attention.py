"""Attention over blocks that an indexer picks: all scores are computed, then masked.

Source: models/qwen4_exp/modeling_qwen4_exp.py of transformers 5.24.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pairs import causal
from . import attention
from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.indexed_attention import IndexedAttention
    from ..run import Run

POSITIONS = 6
"""Three 64-bit positions a token, in elements of 32 bits."""


def blocks(length: int, ratio: int) -> int:
    """The sum of floor(t / ratio) for t from 1 to `length`: whole blocks that each query has before it."""
    whole = length // ratio
    return ratio * whole * (whole - 1) // 2 + whole * (length - whole * ratio + 1)


def chosen(length: int, ratio: int, most: int) -> int:
    """The sum of min(floor(t / ratio), most) for t from 1 to `length`."""
    below = min(length, most * ratio + ratio - 1)
    return blocks(below, ratio) + most * (length - below)


def work(spec: IndexedAttention, run: Run, stream: str) -> Work:
    """Attention's pairs; the indexer scores the whole blocks that a query sees, 2 H_i d_i a query and block.

    Visible of t tokens: min(floor(t / r), B / r) blocks of r, and the t mod r tokens after the last whole block.
    """
    new, past = run.length(stream)
    total, ratio = past + new, spec.ratio
    scored = blocks(total, ratio) - blocks(past, ratio)
    picked = (
        ratio * (chosen(total, ratio, spec.budget // ratio) - chosen(past, ratio, spec.budget // ratio))
        + causal(new, past)
        - ratio * scored
    )
    plain = attention.work(spec, run, stream)
    pair = 2 * spec.query_heads * (spec.head_dim + spec.values) * run.batch
    index = 2 * spec.index_heads * spec.index_dim * run.batch * scored
    return Work(full=plain.full + index, visible=pair * picked + index)


def holds(spec: IndexedAttention, stream: str) -> list[Held]:
    """Keys and values, the indexer's keys, and the positions where this layer keeps them."""
    held = [*attention.holds(spec, stream), Held("indexer", per_token=spec.index_dim)]
    return [*held, Held("indexer", per_token=POSITIONS, fp32=True)] if spec.positions else held
