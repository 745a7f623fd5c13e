"""No position reads a later one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..accounting.budget import encodes_only
from .instance import TOKENS, bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """Change of any score before a token that was replaced."""
    if encodes_only(x.design) or x.small.head.kind not in ("causal", "seq2seq", "none"):
        return
    ids = x.ids()
    changed = ids.clone()
    place = TOKENS // 2
    changed[:, place:] = x.ids(seed=5)[:, place:]
    leak = (x.run(ids) - x.run(changed))[:, :place].abs().max().item()
    yield bounded("causal", leak, x.exact, f"change of the scores of {place} positions when all later tokens are others")
