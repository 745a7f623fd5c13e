"""Kimi K2.5 (arXiv 2602.02276): MoonViT, squares of patches side by side, two maps, Kimi K2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import SPLIT, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("kimi_k25",)

NAMES = {"norm": "model.mm_projector.pre_norm", "linear_1": "mm_projector.proj.0", "linear_2": "mm_projector.proj.2"}
MODULES = {"norm": "mm_projector.pre_norm", "linear_1": "mm_projector.in_proj", "linear_2": "mm_projector.out_proj"}

LAYOUT = SPLIT._replace(text={"model.layers.": "language_model.model.blocks.", **SPLIT.text})
"""transformers 5.24 writes the language model's layers as `blocks`: its renaming of the tower's takes them along."""


def architecture(c: Settings) -> Architecture:
    """The norm comes before patches are joined and has a width of its own, `projection_hidden_size`."""
    text, seen = language(c, renamed={"kimi_k2": "deepseek_v3"}), tower(c)
    sides = seen.settings.list("merge_kernel_size") or []
    if len(sides) != 2 or not all(isinstance(side, int) and side > 0 for side in sides):
        raise seen.settings.refuse("merge_kernel_size", "merge_kernel_size must be two whole numbers")
    flat = seen.width * sides[0] * sides[1]
    projector = [norm_of(c.int("projection_hidden_size")), *maps([("linear_1", flat, flat), ("linear_2", text.width, flat)])]
    return whole(c, LAYOUT, text, {"vision_tower": seen}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, module=MODULES)
