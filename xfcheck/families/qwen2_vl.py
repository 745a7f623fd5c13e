"""Qwen2-VL (arXiv 2409.12191), Qwen2.5-VL (arXiv 2502.13923) and Qwen3-VL (arXiv 2511.21631), Compass, Cosmos 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import JOINED, PLAIN, language, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "exaone4_5", "cohere_compass", "cosmos3_omni")

FLAT = PLAIN._replace(text={"model.": ""})
"""Cosmos 3: checkpoints in which nothing but the head has a name before it."""


def architecture(c: Settings) -> Architecture:
    """The tower merges patches itself: nothing lies between it and the language model. Files of Qwen2-VL and 2.5 are often flat."""
    if c.table is not None and c.table.model_type == "cosmos3_omni":
        text = language(c)
        text = text._replace(architecture=text.architecture.model_copy(update={"naming": "cosmos"}))
        return whole(c, FLAT, text, {"": tower(c)}, [], modules={"": "visual"})
    early = c.table is not None and c.table.model_type in ("qwen2_vl", "qwen2_5_vl")
    return whole(c, PLAIN if early else JOINED, language(c, flat=early), {"visual": tower(c)}, [])


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, {})
