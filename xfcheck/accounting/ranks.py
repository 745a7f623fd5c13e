"""What one of several tensor parallel ranks keeps of the cache: heads are divided, and held more than once where there are too few."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .engines import UnknownLayout

if TYPE_CHECKING:
    from .mixers._parts import Held

DIVIDED = {"mamba": ("inner_size",), "mamba2": ("heads", "groups"), "gated_delta": ("key_heads", "value_heads")}
"""Recurrent mixers -> the sizes that the ranks have to divide, so that each keeps its share of the state."""


def copies(kv_heads: int, ranks: int) -> int:
    """How many ranks hold the same head: 1, or ranks / heads where there are more ranks than heads.

    Raises UnknownLayout where neither divides the other.
    """
    if kv_heads % ranks and ranks % kv_heads:
        raise UnknownLayout(f"{kv_heads} key-value heads over {ranks} ranks")
    return max(1, ranks // kv_heads)


def on_a_rank(mixer: Any, holds: list[Held], ranks: int) -> list[Held]:
    """The mixer's parts as one rank keeps them: max(1, heads / ranks) key-value heads; a latent and an indexer's key whole, on every rank.

    Raises UnknownLayout for a mixer whose state is not known to divide, and for heads that do not.
    """
    heads, queries = getattr(mixer, "kv_heads", None), getattr(mixer, "query_heads", None)
    if isinstance(queries, int) and queries % ranks:
        raise UnknownLayout(f"{queries} query heads over {ranks} ranks")
    sizes = [getattr(mixer, name) for name in DIVIDED.get(mixer.kind, ())]
    out = []
    for held in holds:
        if held.kind in ("latent", "indexer"):
            out.append(held)
        elif held.per_token and isinstance(heads, int) and not held.repeated:
            own = max(1, heads // ranks) if copies(heads, ranks) else 0
            out.append(held._replace(per_token=held.per_token // heads * own, key_elements=held.key_elements // heads * own))
        elif not held.per_token and sizes and not any(size % ranks for size in sizes):
            shifted = None if held.shifted is None else held.shifted // ranks
            out.append(held._replace(constant=held.constant // ranks, shifted=shifted))
        else:
            raise UnknownLayout(f"{held.kind} of {mixer.kind} over {ranks} ranks")
    return out
