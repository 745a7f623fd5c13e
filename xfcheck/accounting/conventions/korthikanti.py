"""Reducing activation recomputation: model FLOPs, three passes of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Count

if TYPE_CHECKING:
    from . import Case

FORMULA = "72 B L s h^2 (1 + s / 6h + v / 12 h L) of a GPT"
SOURCE = "Korthikanti et al. 2022, arXiv 2205.05198, appendix A"


def count(case: Case) -> Count:
    """3 (blocks + whole attention + logits); what is computed again does not count."""
    forward = case.blocks + case.scores + case.logits
    return Count(forward, 3 * forward)


def hardware(case: Case) -> int:
    """Executed FLOPs of a sequence under selective recomputation as the paper writes them: 72 B L s h^2 (1 + s / 3h + v / 12 h L).

    The attention term is doubled, which is more than the one further forward pass of it that is executed (`flops.training` counts that).
    """
    return count(case).training + 3 * case.scores
