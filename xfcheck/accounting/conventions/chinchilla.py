"""Chinchilla: every product by name, embedding look-up as a product, and the softmax."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Count

if TYPE_CHECKING:
    from . import Case

FORMULA = "3 (2 n V d + blocks + sum_L (2 n^2 H (d_k + d_v) + 3 H n^2) + 2 n V d)"
SOURCE = "Hoffmann et al. 2022, arXiv 2203.15556, appendix F"


def count(case: Case) -> Count:
    """The text of appendix F. Its Table A4 leaves embedding and logits out: `blocks_alone` gives that."""
    forward = blocks_alone(case) + 2 * case.logits
    return Count(forward, 3 * forward)


def blocks_alone(case: Case) -> int:
    """Forward FLOPs without embedding and logits."""
    softmax = sum(3 * a.layers * a.heads for a in case.attention) * case.tokens**2
    return case.blocks + case.scores + softmax
