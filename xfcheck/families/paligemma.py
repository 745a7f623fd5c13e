"""PaliGemma (Beyer et al. 2024, arXiv 2407.07726) and PaliGemma 2 (arXiv 2412.03555): SigLIP, one map, Gemma."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import SPLIT, language, maps, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("paligemma",)


def architecture(c: Settings) -> Architecture:
    """The map ends in `projection_dim` of the whole, whatever the tower's object says."""
    text, seen = language(c), tower(c)
    return whole(c, SPLIT, text, {"vision_tower": seen}, maps([("linear", c.int("projection_dim"), seen.width)]))


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, {"linear": "multi_modal_projector.linear"})
