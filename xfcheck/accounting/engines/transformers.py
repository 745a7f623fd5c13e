"""The cache object of transformers 5.24 after the context has passed (cache_utils.py: DynamicLayer, DynamicSlidingWindowLayer)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _tokenwise

if TYPE_CHECKING:
    from ..mixers._parts import Held
    from . import Ask, Kept

LABEL = "transformers"


def lay_out(holds: list[list[Held]], ask: Ask) -> list[list[Kept]]:
    """Just the tokens that are kept, at the cache's dtype."""
    kept = [[held._replace(per_token=held.repeated) if held.repeated else held for held in each] for each in holds]
    return _tokenwise.lay_out(kept, ask, tokens)


def tokens(held: Held, context: int, source: int) -> int:
    """Tokens a layer keeps: a window W keeps W - 1, chunked layers too; W = 1 keeps all (a slice of -0)."""
    if held.source:
        return source if held.kept_tokens is None or held.kept_tokens <= 1 else min(source, held.kept_tokens - 1)
    if held.stride:
        return held.strided(context)
    window = held.kept_tokens
    if window is None and held.mask is not None and held.mask.kind in ("sliding", "chunked"):
        window = held.mask.window
    if window is None or window <= 1:
        return context
    return min(context, window - 1)
