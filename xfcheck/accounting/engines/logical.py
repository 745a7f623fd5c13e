"""What the mathematics needs: full layers every token, windowed ones the last W, chunked ones a chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..mixers._parts import Held

LABEL = "logical"


def tokens(held: Held, context: int, source: int) -> int:
    """Tokens of one sequence that a layer keeps."""
    if held.source:
        return source
    if held.stride:
        return held.strided(context)
    mask = held.mask
    if mask is not None and mask.kind in ("sliding", "chunked") and mask.window:
        return min(context, mask.window)
    return context
