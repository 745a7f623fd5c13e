"""Longformer's attention, as transformers' torch path executes it (models/led/modeling_led.py, 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pairs import visible
from ._parts import NOTHING, Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.longformer_attention import LongformerAttention
    from ..run import Run


def work(spec: LongformerAttention, run: Run, stream: str) -> Work:
    """With n tokens after padding and a window w: n / w - 1 chunks of 2 w by 2 w scores, and n rows of 3 w weights.

    2 H d_k (n / w - 1) (2 w)^2 + 2 H d_v 3 w n FLOPs a sequence; visible are the pairs within the window. g tokens that see all and are
    seen by all add 4 H (d_k + d_v) g n.
    """
    new, past = run.length(stream)
    if not new:
        return NOTHING
    near = spec.mask.window or 1
    filled = run.filled(stream)
    scores = (filled // near - 1) * (2 * near) ** 2 * spec.head_dim
    full = 2 * spec.query_heads * (scores + 3 * near * filled * spec.values)
    seen = 2 * spec.query_heads * (spec.head_dim + spec.values) * visible(spec.mask, new, past)
    marked = 4 * spec.query_heads * (spec.head_dim + spec.values) * spec.mask.global_tokens
    full, seen = full + marked * filled, seen + marked * new
    return Work(full=run.batch * full, visible=run.batch * min(seen, full))


def holds(spec: LongformerAttention, stream: str) -> list[Held]:
    """Nothing: it is an encoder's."""
    return []
