"""Self-attention and cross attention in one: n queries against m own keys and s of the source; both are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pairs import full, visible
from ._parts import Held, Work
from .attention import holds as own_holds

if TYPE_CHECKING:
    from ...architecture.mixers.merged_attention import MergedAttention
    from ..run import Run


def work(spec: MergedAttention, run: Run, stream: str) -> Work:
    """2 (d_k + d_v) H FLOPs a pair of a query with an own key or one of the source."""
    new, past = run.length(stream)
    pair = 2 * spec.query_heads * (spec.head_dim + spec.values) * run.batch
    return Work(
        full=pair * (full(spec.mask, new, past) + new * run.source), visible=pair * (visible(spec.mask, new, past) + new * run.source)
    )


def holds(spec: MergedAttention, stream: str) -> list[Held]:
    """The own keys and values as any attention keeps them, and the source's."""
    keys = spec.kv_heads * spec.head_dim
    return [*own_holds(spec, stream), Held("cross", per_token=keys + spec.kv_heads * spec.values, source=True, key_elements=keys)]
