"""Lightning attention, as transformers executes it (models/minimax/modeling_minimax.py, 5.24, MiniMaxLightningAttention)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.lightning_attention import LightningAttention
    from ..run import Run


def work(spec: LightningAttention, run: Run, stream: str) -> Work:
    """Products of blocks with themselves and with the state.

    A block of s tokens, H heads of D: scores and weighted values 4 s^2 H D, queries with the state and the state's update 4 s H D^2. n
    tokens are whole blocks and a last, shorter one, which is not padded. A token after cached ones: 4 H D^2.
    """
    new, past = run.length(stream)
    width = spec.head_dim
    if past:
        return Work(scan=4 * run.batch * new * spec.heads * width * width)
    whole, rest = divmod(new, spec.block)
    inside = whole * spec.block * spec.block + rest * rest
    return Work(scan=4 * run.batch * spec.heads * width * (inside + new * width))


def holds(spec: LightningAttention, stream: str) -> list[Held]:
    """One state a head, in the cache's dtype: the class keeps it as the model computes it (measured in bfloat16)."""
    return [Held("recurrent", constant=spec.heads * spec.head_dim**2)]
