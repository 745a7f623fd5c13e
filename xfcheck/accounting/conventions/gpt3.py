"""GPT-3: six FLOPs a parameter and token, nothing for attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Count

if TYPE_CHECKING:
    from . import Case

FORMULA = "6 N a token"
SOURCE = "Brown et al. 2020, arXiv 2005.14165, appendix D"


def count(case: Case) -> Count:
    """2 N forward and 4 N backward; N has all parameters that a token meets."""
    forward = 2 * case.tokens * int(case.parameters["active"]["total"])
    return Count(forward, 3 * forward)
