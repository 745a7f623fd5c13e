"""PaLM, where model FLOPs utilisation was defined: rematerialisation does not count, the causal mask halves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Count

if TYPE_CHECKING:
    from . import Case

FORMULA = "6 N + 12 L H Q T a token; N with the embedding"
SOURCE = "Chowdhery et al. 2022, arXiv 2204.02311, appendix B"


def count(case: Case) -> Count:
    """6 FLOPs a parameter and 6 H (d_k + d_v) T an attention layer and token."""
    forward = 2 * case.tokens * int(case.parameters["active"]["total"]) + case.scores
    return Count(forward, 3 * forward)
