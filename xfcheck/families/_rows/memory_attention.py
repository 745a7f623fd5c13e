"""Rows of attention with a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.memory_attention import MemoryAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: MemoryAttention, at: Place) -> Iterator[Row]:
    """Five maps, of which keys and values multiply the remembered tokens too and that of positions no token; biases and segments."""
    shape = (at.hidden, spec.query_heads, spec.head_dim)
    for part, stream in (("query", None), ("key", "latent"), ("value", "latent"), ("output", None), ("position_key", "absent")):
        row = at.row(part, shape, multiplies=True, stream=stream)
        yield row._replace(kept=spec.memory) if stream == "latent" else row
    for part in ("position_bias", "segment_bias", "content_bias"):
        yield at.row(part, (spec.query_heads, spec.head_dim))
    yield at.row("segments", (2, spec.query_heads, spec.head_dim))
