"""torchtitan: parameters less the input embedding, whole attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Count

if TYPE_CHECKING:
    from . import Case

FORMULA = "6 (N - embedding) + 6 L H (d_k + d_v) s a token; a tied embedding stays"
SOURCE = "pytorch/torchtitan, torchtitan/models/utils.py"


def count(case: Case) -> Count:
    """Active experts, router and shared experts count; norms too, as they are parameters."""
    forward = 2 * case.tokens * int(case.parameters["active"]["without_input_embedding"]) + case.scores
    return Count(forward, 3 * forward)
