"""Rows of lightning attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.lightning_attention import LightningAttention
    from ...ledger import Row
    from .place import Place


def rows(spec: LightningAttention, at: Place) -> Iterator[Row]:
    """Projections, norm and gate, and the decays, which are buffers."""
    heads, block = spec.heads, spec.block
    yield from at.matrix("qkv", 3 * spec.inner_size, at.hidden)
    yield from at.norm("inner_norm", spec.norm, spec.inner_size)
    yield from at.matrix("gate", spec.inner_size, at.hidden)
    yield from at.matrix("out", at.hidden, spec.inner_size)
    decays = {
        "slope": (heads, 1, 1),
        "query_decay": (heads, block, 1),
        "key_decay": (heads, block, 1),
        "pair_decay": (1, heads, block, block),
    }
    for part, shape in decays.items():
        yield from at.vector(part, *shape, kind="buffer")
