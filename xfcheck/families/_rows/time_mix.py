"""Rows of RWKV's time mixing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.rwkv import TimeMix
    from ...ledger import Row
    from .place import Place


def rows(spec: TimeMix, at: Place) -> Iterator[Row]:
    """Decay and bonus a channel, three mixing vectors, four matrices."""
    for part in ("decay", "first"):
        yield from at.vector(part, spec.width, component="ssm")
    for part in ("key", "value", "receptance"):
        yield from at.vector(f"mix_{part}", 1, 1, at.hidden)
        yield from at.matrix(part, spec.width, at.hidden)
    yield from at.matrix("output", at.hidden, spec.width)
