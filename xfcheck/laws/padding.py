"""Padding changes nothing for the tokens that count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..verification.check import unknown
from .instance import TOKENS, bounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..verification.check import Check
    from .instance import Instance

PADDED = 4
MASKLESS = ("fourier", "landmark_attention", "mixed_convolution")
"""Mixers that mix in whatever stands at the end: they have no mask of keys."""


def judge(x: Instance) -> Iterator[Check]:
    """Change of the real tokens' scores when the padding after them holds other ids, and when it is not there at all."""
    without = sorted({m.kind for m in x.of(*MASKLESS)})
    if without:
        yield unknown("law.padding", f"no mask of padding in mixers of kind {', '.join(without)}")
        return
    ids = x.ids()
    real = torch.ones_like(ids, dtype=torch.bool)
    real[:, -PADDED:] = False
    other = torch.where(real, ids, x.ids(seed=9))
    kept = TOKENS - PADDED
    if x.small.head.kind not in ("causal", "masked", "seq2seq", "none", "pretraining"):
        return
    padded = x.run(ids, padding=real)[:, :kept]
    change = max((padded - x.run(other, padding=real)[:, :kept]).abs().max().item(), (padded - x.run(ids[:, :kept])).abs().max().item())
    yield bounded("padding", change, x.exact, f"change of the scores of {kept} tokens with {PADDED} of padding after them")
