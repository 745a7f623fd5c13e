"""DeepSeek: active weight matrices less the input embedding and the router, attention halved by the causal mask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Count

if TYPE_CHECKING:
    from . import Case

FORMULA = "6 (N_active - embedding - router - norms) + 3 L H (d_k + d_v) s a token"
SOURCE = "DeepSeek-AI 2025, arXiv 2505.09343, Tables 2 and 4"


def count(case: Case) -> Count:
    """Table 2 for DeepSeek-V2 and V3; a tied embedding stays. Table 4 (TFLOPS, MFU) agrees to its last digit without the router alone."""
    left_out = sum(case.parameters["by_component"][part] for part in ("router", "norm"))
    forward = 2 * case.tokens * (int(case.parameters["active"]["without_input_embedding"]) - left_out) + case.scores // 2
    return Count(forward, 3 * forward)
