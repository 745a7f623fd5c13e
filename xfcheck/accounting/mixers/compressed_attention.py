"""A window and compressed entries (models/deepseek_v4/modeling_deepseek_v4.py, 5.24): a query scores the window's keys and every entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pairs import full, strided, visible
from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.compressed_attention import CompressedAttention
    from ..run import Run


def work(spec: CompressedAttention, run: Run, stream: str) -> Work:
    """Scores and values of the window and of the entries closed so far, and the indexer's scores of its own entries."""
    new, past = run.length(stream)
    pair = 4 * spec.query_heads * spec.head_dim * run.batch
    near, seen = full(spec.mask, new, past), visible(spec.mask, new, past)
    if spec.stride is None:
        return Work(full=pair * near, visible=pair * min(near, seen))
    entries = new * ((past + new) // spec.stride)
    closed = strided(new, past, spec.stride, None if spec.indexer is None else spec.indexer.top_k)
    index, index_seen = 0, 0
    if spec.indexer is not None:
        each = 2 * spec.indexer.heads * spec.indexer.head_dim * run.batch
        index, index_seen = each * entries, each * strided(new, past, spec.stride, None)
    return Work(full=pair * (near + entries) + index, visible=pair * (min(near, seen) + closed) + index_seen)


def holds(spec: CompressedAttention, stream: str) -> list[Held]:
    """The window's vectors, the entries, the tokens that wait for theirs (values and weights).

    Where entries overlap, the last entry's tokens too. A vector is key and value at once; the reference stores it twice in a layer with the
    window alone. Weights of the last entry's tokens are in 32 bits, as their bias is.
    """
    width, stride = spec.head_dim, spec.stride
    held = [Held("sliding", per_token=width if stride is not None else 2 * width, mask=spec.mask, key_elements=width)]
    if stride is None:
        return held
    parts = [("compressed", width)] if spec.indexer is None else [("compressed", width), ("indexer", spec.indexer.head_dim)]
    for kind, entry in parts:
        held.append(Held(kind, per_token=entry, stride=stride, part="entries", key_elements=entry))
        held.append(Held(kind, per_token=2 * spec.series * entry, stride=stride, part="waiting"))
        if spec.overlapping:
            held.append(Held(kind, per_token=entry, stride=stride, part="last"))
            held.append(Held(kind, per_token=entry, stride=stride, part="last", fp32=True))
    return held
