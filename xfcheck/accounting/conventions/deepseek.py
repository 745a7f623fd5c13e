"""DeepSeek: active parameters less the input embedding, attention halved by the causal mask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Count

if TYPE_CHECKING:
    from . import Case

FORMULA = "6 (N_active - embedding) + 3 L H (d_k + d_v) s a token"
SOURCE = "DeepSeek-AI 2025, arXiv 2505.09343, Table 2"


def count(case: Case) -> Count:
    """The numbers of the table for DeepSeek-V2 and V3; a tied embedding stays."""
    forward = 2 * case.tokens * int(case.parameters["active"]["without_input_embedding"]) + case.scores // 2
    return Count(forward, 3 * forward)
