"""Rows of RWKV's channel mixing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.rwkv import ChannelMix
    from ...ledger import Row
    from .place import Place


def rows(spec: ChannelMix, at: Place) -> Iterator[Row]:
    """Two mixing vectors, key up, value down, and a receptance of the whole width."""
    for part in ("key", "receptance"):
        yield from at.vector(f"mix_{part}", 1, 1, at.hidden)
    yield from at.matrix("key", spec.intermediate_size, at.hidden)
    yield from at.matrix("receptance", at.hidden, at.hidden)
    yield from at.matrix("value", at.hidden, spec.intermediate_size)
