"""HunyuanOCR (arXiv 2511.19575): a tower that merges its patches itself, and a dense Hunyuan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import PLAIN, language, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("hunyuan_vl",)


def architecture(c: Settings) -> Architecture:
    """Nothing lies between the tower, `vit` in checkpoints, and the language model, in whose width it ends."""
    text = language(c, flat=True)
    seen = tower(c, over={"text_hidden_size": text.width})
    return whole(c, PLAIN, text, {"vit": seen}, [], modules={"vit": "vision_tower"})


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, {})
