"""XLNet's attention, as transformers' torch path executes it (models/xlnet/modeling_xlnet.py, 5.24), one stream, no segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.masks import Mask
from ..pairs import visible
from ._parts import NOTHING, Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.memory_attention import MemoryAttention
    from ..run import Run


def work(spec: MemoryAttention, run: Run, stream: str) -> Work:
    """2 H d_h FLOPs a pair for scores of content, as many for values, and for each query and position; 2 P d H d_h to map P positions."""
    new, past = run.length(stream)
    if not new:
        return NOTHING
    past = past if spec.memory is None else min(past, spec.memory)
    wide = 2 * spec.query_heads * spec.head_dim * run.batch
    positions = past + new + (1 if spec.mask.kind == "causal" else new)
    mapped = positions * (spec.input_size or 0)
    pairs = 2 * new * (past + new)
    return Work(
        full=wide * (pairs + new * positions + mapped), visible=wide * (2 * visible(spec.mask, new, past) + new * positions + mapped)
    )


def holds(spec: MemoryAttention, stream: str) -> list[Held]:
    """The layer's inputs, the last `memory` of them."""
    if spec.cached is False:
        return []
    mask = None if spec.memory is None else Mask(kind="sliding", window=spec.memory)
    kept = None if spec.memory is None else spec.memory + 1
    return [Held("full" if mask is None else "sliding", per_token=spec.input_size or 0, mask=mask, kept_tokens=kept)]
