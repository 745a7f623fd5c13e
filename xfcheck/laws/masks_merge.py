"""Masks merge before the softmax: zeroing weights after it breaks the row sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..torch_build.masks import softmax
from ..verification.check import Check
from .instance import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .instance import Instance

BROKEN = 1e-3


def judge(x: Instance) -> Iterator[Check]:
    """Row sums with causal and padding mask merged, and with the padding zeroed afterwards."""
    if not x.of("attention", "latent_attention", "cross_attention"):
        return
    n = 8
    scores = x.normal(torch.Generator().manual_seed(0), 1, 2, n, n)
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    padding = torch.tensor([True] * (n - 1) + [False]).roll(3)
    padding[0] = True
    merged = softmax(scores, causal & padding[None])
    after = softmax(scores, causal) * padding
    yield bounded(
        "masks_merge", (merged.sum(-1) - 1).abs().max().item(), x.exact, "row sums with causal and padding mask merged before the softmax"
    )
    lost = (after.sum(-1) - 1).abs().max().item()
    yield Check(
        "law.zeroed_after",
        f"at least {BROKEN:g}",
        float(f"{lost:.3g}"),
        "agreed" if lost >= BROKEN else "differs",
        "what a row loses where weights are zeroed after the softmax: the counter-law",
    )
