"""Reformer's attention, as transformers' torch path executes it (models/reformer/modeling_reformer.py, 5.24)."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

from ._parts import NOTHING, Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.bucketed_attention import BucketedAttention
    from ..run import Run


def work(spec: BucketedAttention, run: Run, stream: str) -> Work:
    """All n queries with (1 + before + after) chunks of keys, 4 H d_h FLOPs a pair, a round a hash; hashes cost 2 n H d_h R / 2 each.

    In a step keys and values of the chunks met are made anew from the kept inputs.
    """
    new, past = run.length(stream)
    if not new:
        return NOTHING
    wide = run.batch * spec.query_heads * spec.head_dim
    if past:
        return _step(spec, wide, past)
    filled, rounds = run.filled(stream), spec.hashes or 1
    if filled <= spec.chunk:
        own = 4 * wide * filled * filled
        return Work(full=own, visible=own)
    own = 4 * wide * filled * (1 + spec.before + spec.after) * spec.chunk * rounds
    hashed = 0 if spec.hashes is None else 2 * wide * filled * spec.hashes * (_rotations(spec, filled) // 2)
    return Work(full=own + hashed, visible=own + hashed)


def _step(spec: BucketedAttention, wide: int, past: int) -> Work:
    """One token: its own maps are the ledger's, those of the keys it meets are counted here."""
    read = spec.input_size or 0
    if spec.hashes is None:
        met = min(past, past % spec.chunk + spec.before * spec.chunk)
    elif past > spec.chunk:
        met = (1 + spec.before + spec.after) * spec.chunk * spec.hashes - 1
    else:
        met = past
    done = 4 * wide * (met + 1) + 4 * wide * read * met
    return Work(full=done, visible=done)


def _rotations(spec: BucketedAttention, length: int) -> int:
    """Columns of the rotation where the first length that passes decides the number of buckets."""
    if spec.rotations is not None:
        return spec.rotations
    power = (2 * (length // spec.chunk)).bit_length() - 1
    limit = 2 * max(isqrt((spec.longest or 0) // spec.chunk), spec.chunk)
    buckets: int = 1 << power
    return buckets if buckets <= limit else (1 << power // 2) + (1 << power - power // 2)


def holds(spec: BucketedAttention, stream: str) -> list[Held]:
    """The layer's inputs; of hashed layers the buckets of more than a chunk, 64-bit whole numbers (two 32-bit words)."""
    if spec.mask.kind != "causal":
        return []
    held = [Held("full", per_token=spec.input_size or 0)]
    if spec.hashes is not None:
        held.append(Held("full", per_token=2 * spec.query_heads * spec.hashes, fp32=True, above=spec.chunk))
    return held
