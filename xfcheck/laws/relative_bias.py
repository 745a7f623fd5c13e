"""A relative bias depends on the distance alone, and near distances have buckets of their own (Raffel et al. 2019, section 2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torch_build.positions import buckets
from ..verification.check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """Pairs whose bucket is not that of their distance, and near distances that share one."""
    for spec in x.of("attention"):
        position = spec.position
        if getattr(position, "kind", None) != "relative_bias":
            continue
        at = x.span(64)
        held = buckets(position, at, at)
        moved = int((held[1:, 1:] != held[:-1, :-1]).sum())
        exact = position.buckets // (4 if position.bidirectional else 2)
        near = [int(held[63, 63 - d]) for d in range(max(1, min(exact, 63)))]
        wrong = moved + len(near) - len(set(near)) + int((held >= position.buckets).sum())
        yield Check(
            "law.relative_bias",
            0,
            wrong,
            "differs" if wrong else "agreed",
            f"pairs outside the bucket of their distance; {len(near)} near distances have one each",
        )
        return
