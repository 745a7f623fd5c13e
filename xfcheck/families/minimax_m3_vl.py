"""MiniMax M3 with its image tower (transformers 5.24, models/minimax_m3_vl): every patch is mapped, then squares of them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import SPLIT, language, maps, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("minimax_m3_vl",)

EACH = {f"linear_{n}": f"multi_modal_projector.linear_{n}" for n in (1, 2)}
NAMES = {**EACH, "merge_1": "patch_merge_mlp.linear_1", "merge_2": "patch_merge_mlp.linear_2"}
MODULES = {f"merge_{n}": f"multi_modal_projector.merge_linear_{n}" for n in (1, 2)}


def architecture(c: Settings) -> Architecture:
    """Two networks of `projector_hidden_size`, the second over the language model's width times a square."""
    text, seen = language(c), tower(c)
    wide, inner = text.width, c.int("projector_hidden_size")
    flat = wide * seen.settings.int("spatial_merge_size") ** 2
    sizes = [("linear_1", inner, seen.width), ("linear_2", wide, inner), ("merge_1", inner, flat), ("merge_2", wide, inner)]
    return whole(c, SPLIT, text, {"vision_tower": seen}, maps(sizes))


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, module=MODULES)
