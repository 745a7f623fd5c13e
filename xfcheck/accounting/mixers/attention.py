"""Softmax attention over its own stream: 2 (d_qk + d_v) H_q FLOPs a pair; the cache holds keys and values of the KV heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pairs import full, visible
from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.attention import Attention
    from ..run import Run

CACHED = {"sliding": "sliding", "chunked": "chunked"}


def work(spec: Attention, run: Run, stream: str) -> Work:
    """Scores and weighted values; heads of the query, whatever the number of KV heads."""
    new, past = run.length(stream)
    pair = 2 * spec.query_heads * (spec.head_dim + spec.values) * spec.passes * run.batch
    whole = full(spec.mask, new, past, spec.kept_tokens)
    return Work(full=pair * whole, visible=pair * min(whole, visible(spec.mask, new, past)))


def holds(spec: Attention, stream: str) -> list[Held]:
    """Keys and values of a causal stack; nothing in an encoder, and nothing where another layer's are used."""
    kept = spec.mask.kind not in ("bidirectional", "local", "block_sparse") if spec.cached is None else spec.cached
    if spec.shares_cache or stream in ("encoder", "image", "audio") or not kept:
        return []
    keys, values = spec.kv_heads * spec.head_dim, spec.kv_heads * spec.values
    repeated = 0 if spec.cached_heads is None else spec.cached_heads * (spec.head_dim + spec.values)
    kind = CACHED.get(spec.mask.kind, "full")
    return [Held(kind, per_token=keys + values, mask=spec.mask, kept_tokens=spec.kept_tokens, key_elements=keys, repeated=repeated)]
