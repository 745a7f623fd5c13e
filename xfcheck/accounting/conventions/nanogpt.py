"""nanoGPT: every matrix product and the logits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Count

if TYPE_CHECKING:
    from . import Case

FORMULA = "3 (blocks + whole attention + logits)"
SOURCE = "karpathy/nanoGPT, transformer_sizing.ipynb"


def count(case: Case) -> Count:
    """Look-ups, norms and biases count nothing; the backward pass twice the forward one."""
    forward = case.blocks + case.scores + case.logits
    return Count(forward, 3 * forward)
