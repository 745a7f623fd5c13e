"""What the mathematics needs: full layers every token, windowed ones the last W, chunked ones a chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _tokenwise

if TYPE_CHECKING:
    from ..mixers._parts import Held
    from . import Ask, Kept

LABEL = "logical"


def lay_out(holds: list[list[Held]], ask: Ask) -> list[list[Kept]]:
    """Just the tokens that are kept, at the cache's dtype."""
    return _tokenwise.lay_out(holds, ask, tokens)


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
