"""Megatron-LM on clusters: executed FLOPs with full recomputation, hence four passes of the blocks and three of the logits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Count

if TYPE_CHECKING:
    from . import Case

FORMULA = "96 B s l h^2 (1 + s / 6h + V / 16 l h) of a GPT"
SOURCE = "Narayanan et al. 2021, arXiv 2104.04473, equation 3"


def count(case: Case) -> Count:
    """4 (blocks + whole attention) + 3 logits: the equation where h is the hidden size of a GPT with 4 h wide networks."""
    inside = case.blocks + case.scores
    return Count(inside + case.logits, 4 * inside + 3 * case.logits)
