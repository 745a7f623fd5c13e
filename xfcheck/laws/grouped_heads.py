"""Grouped-query attention is multi-head attention whose query heads r read key-value head g(r) = r H_kv / H_q."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """Each head alone, with the key-value head of its group, against what the layer computed."""
    worst, groups = 0.0, set()
    for name, placed in x.heads():
        if placed.mixer.kind not in ("attention", "cross_attention"):
            continue
        spec = placed.mixer
        weights, value, out = (x.seen[f"{name}.{part}"] for part in ("weights", "value", "heads"))
        for r in range(spec.query_heads):  # type: ignore[attr-defined]
            g = r * spec.kv_heads // spec.query_heads  # type: ignore[attr-defined]
            alone = torch.einsum("bij,bjd->bid", weights[:, r], value[:, g])
            worst = max(worst, (alone - out[:, r]).abs().max().item())
        groups.add(f"{spec.query_heads}:{spec.kv_heads}")  # type: ignore[attr-defined]
    if groups:
        yield bounded(
            "grouped_heads",
            worst,
            x.exact,
            f"heads computed one by one with the key-value head of their group; query:kv {', '.join(sorted(groups))}",
        )
