"""Attention within blocks and to global vectors, as transformers' torch path executes it (models/pegasus_x/modeling_pegasus_x.py, 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import NOTHING, Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.global_local_attention import GlobalLocalAttention
    from ..run import Run


def work(spec: GlobalLocalAttention, run: Run, stream: str) -> Work:
    """2 (d_k + d_v) H FLOPs a pair: n tokens after padding with b keys of their block and G global ones, G vectors with G + n keys.

    A staggered layer has b more tokens; their share of its four weight matrices is counted here, in full and visible alike.
    """
    new, _ = run.length(stream)
    if not new:
        return NOTHING
    shift = spec.block // 2 if spec.staggered else 0
    filled = run.filled(stream) + 2 * shift
    pair = 2 * spec.query_heads * (spec.head_dim + spec.values) * run.batch
    maps = 2 * spec.query_heads * (spec.head_dim + spec.values) + 2 * spec.kv_heads * (spec.head_dim + spec.values)
    extra = run.batch * 2 * shift * maps * (spec.input_size or 0)
    own = filled * (spec.block + spec.globals) + spec.globals * (spec.globals + filled)
    seen = within(new, spec.block, spec.block - shift if shift else spec.block) + spec.globals * (2 * new + spec.globals)
    return Work(full=pair * own + extra, visible=pair * min(seen, own) + extra)


def within(tokens: int, block: int, first: int) -> int:
    """Pairs of tokens of one block, the first block holding `first` tokens."""
    head = min(tokens, first)
    whole, rest = divmod(tokens - head, block)
    return head * head + whole * block * block + rest * rest


def holds(spec: GlobalLocalAttention, stream: str) -> list[Held]:
    """Nothing: it is an encoder's."""
    return []
