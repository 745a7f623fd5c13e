"""Disentangled attention, as transformers' torch path executes it (models/deberta and models/deberta_v2, 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work
from .attention import work as content

if TYPE_CHECKING:
    from ...architecture.mixers.disentangled_attention import DisentangledAttention
    from ..run import Run


def work(spec: DisentangledAttention, run: Run, stream: str) -> Work:
    """Content with content as in softmax attention; beside it the scores of positions.

    For S relative positions of width d and n tokens: 2 S d H d_h for each map of the table (once for the whole batch), 2 n S H d_h for each
    kind of score. Talking heads: 2 * 2 H^2 n^2.
    """
    new, past = run.length(stream)
    own = content(spec, run, stream)
    if not new:
        return own
    wide = spec.query_heads * spec.head_dim
    rows = 2 * (min(spec.span, past + new) if spec.span_follows_length else spec.span)
    maps = 2 if spec.shared_maps else len(spec.terms)
    more = 2 * rows * (spec.input_size or wide) * wide * maps + 2 * run.batch * new * rows * wide * len(spec.terms)
    if spec.talking_heads:
        more += 4 * run.batch * spec.query_heads**2 * new * (past + new)
    return Work(full=own.full + more, visible=own.visible + more)


def holds(spec: DisentangledAttention, stream: str) -> list[Held]:
    """Nothing: it is an encoder's."""
    return []
