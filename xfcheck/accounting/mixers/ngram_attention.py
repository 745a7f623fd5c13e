"""Attention in several streams, as transformers' torch path executes it (models/prophetnet/modeling_prophetnet.py, 5.24)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pairs import causal, full
from ._parts import Work
from .attention import holds

if TYPE_CHECKING:
    from ...architecture.mixers.ngram_attention import NgramAttention
    from ..run import Run

__all__ = ["holds", "work"]


def work(spec: NgramAttention, run: Run, stream: str) -> Work:
    """2 (d_k + d_v) H FLOPs a pair: n queries with all keys in the main stream, and with n more of their own in each predicting stream.

    Visible: the s-th predicting stream sees the main one up to s tokens back, and itself. The main stream's keys and values are kept.
    """
    new, past = run.length(stream)
    pair = 2 * spec.query_heads * (spec.head_dim + spec.values) * run.batch
    held, reach = past + new, full(spec.mask, new, past, spec.kept_tokens)
    seen = causal(new, past)
    for back in range(spec.ngram):
        seen += causal(new, past - back) + new if past >= back else causal(max(0, held - back), 0) + new
    whole = reach + spec.ngram * (reach + new * new)
    return Work(full=pair * whole, visible=pair * min(seen, whole))
