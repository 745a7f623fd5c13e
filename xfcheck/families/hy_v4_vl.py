"""Hunyuan V4 with pictures: HunyuanOCR's layers and a shorter merger before Hunyuan V4's language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import PLAIN, language, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("hy_v4_vl",)


def architecture(c: Settings) -> Architecture:
    """The tower merges patches itself: nothing lies between it and the language model."""
    text = language(c)
    inside = text._replace(architecture=text.architecture.model_copy(update={"naming": "inside"}))
    return whole(c, PLAIN, inside, {"vit": tower(c)}, [], modules={"vit": "vision_tower"})


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, {})
