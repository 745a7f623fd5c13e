"""Attention over another stream: scores of m x n; its keys and values are computed once and kept for every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.masks import retained
from ._parts import NOTHING, Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.cross_attention import CrossAttention
    from ..run import Run


def work(spec: CrossAttention, run: Run, stream: str) -> Work:
    """Every query against every token of the memory; nothing where the config has no such stream."""
    if spec.memory == "absent":
        return NOTHING
    new = run.filled(stream)
    memory = {"encoder": run.source, "image": run.image, "audio": run.audio}[spec.memory]
    kept = None if run.first else retained(spec.kept_tokens)
    memory = memory if kept is None else min(memory, kept)
    done = 2 * spec.query_heads * (spec.head_dim + spec.values) * run.batch * new * memory
    return Work(full=done, visible=done)


def holds(spec: CrossAttention, stream: str) -> list[Held]:
    """Keys and values of the source."""
    if spec.memory == "absent" or stream in ("encoder", "image", "audio"):
        return []
    keys = spec.kv_heads * spec.head_dim
    return [Held("cross", per_token=keys + spec.kv_heads * spec.values, source=True, kept_tokens=spec.kept_tokens, key_elements=keys)]
