"""An expert takes C = ceil(T k f / E) tokens.

At uniform load and f >= 1 none is dropped, and C of one expert's T are kept at the worst.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..verification.check import Check
from .instance import own_choice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .instance import Instance

TOKENS = 4096


def judge(x: Instance) -> Iterator[Check]:
    """Tokens dropped at uniform load, for designs with a capacity factor."""
    for spec in x.of("moe"):
        factor = spec.capacity_factor
        if factor is None:
            continue
        assigned = TOKENS * spec.experts_per_token
        room = -(-int(assigned * factor * 1_000_000) // (spec.experts * 1_000_000))
        each, more = divmod(assigned, spec.experts)
        dropped = sum(max(0, load - room) for load in [each + 1] * more + [each] * (spec.experts - more))
        why = f"assignments dropped of {assigned:,} at uniform load; capacity {room:,} of each expert at a factor of {factor:g}"
        yield own_choice(x, Check("law.capacity", 0, dropped, "differs" if dropped else "agreed", why))
        return
