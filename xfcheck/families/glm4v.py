"""GLM-4.1V, GLM-4.5V, GLM-4.6V (arXiv 2507.01006) and GLM-OCR: a tower that merges its patches itself, and a GLM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import JOINED, language, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("glm4v", "glm46v", "glm4v_moe", "glm_ocr", "glmga")


def architecture(c: Settings) -> Architecture:
    """Nothing lies between the tower and the language model."""
    return whole(c, JOINED, language(c), {"visual": tower(c)}, [])


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, {}, "model.")
