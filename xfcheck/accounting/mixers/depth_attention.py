"""Attention of a token over its own earlier states (models/inkling2/modeling_inkling2.py of transformers 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.depth_attention import DepthAttention
    from ..run import Run


def work(spec: DepthAttention, run: Run, stream: str) -> Work:
    """Scores and weighted states, 4 H a query, state and token; every pair is visible."""
    new, _ = run.length(stream)
    done = 4 * run.batch * new * spec.queries * spec.states * spec.width
    return Work(full=done, visible=done)


def holds(spec: DepthAttention, stream: str) -> list[Held]:
    """Nothing."""
    return []
