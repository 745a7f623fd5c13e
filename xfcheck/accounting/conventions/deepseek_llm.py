"""DeepSeek LLM: what its scaling laws call M, the non-embedding FLOPs a token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Count

if TYPE_CHECKING:
    from . import Case

FORMULA = "6 N + 6 L H (d_k + d_v) s a token; N of the blocks' matrices: 72 L d^2 + 12 L d s of a plain decoder"
SOURCE = "DeepSeek-AI 2024, arXiv 2401.02954, equation 2"


def count(case: Case) -> Count:
    """Matrices of the blocks and the whole square of scores; no embedding, no logits."""
    forward = case.blocks + case.scores
    return Count(forward, 3 * forward)
