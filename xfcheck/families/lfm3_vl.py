"""LFM3-VL (Liquid AI): a tower of convolutions and attention, squares of patches side by side, two maps, LFM3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import JOINED, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("lfm3_vl",)

NAMES = {f"linear_{n}": f"multi_modal_projector.linear_{n}" for n in (1, 2)} | {"norm": "multi_modal_projector.layer_norm"}


def architecture(c: Settings) -> Architecture:
    """Each patch is normed before `spatial_merge_size` squared of them lie side by side."""
    text, seen = language(c), tower(c)
    into, inner = seen.width * seen.settings.int("spatial_merge_size") ** 2, c.int("projector_hidden_size")
    projector = [norm_of(seen.width), *maps([("linear_1", inner, into), ("linear_2", text.width, inner)], bias=c.flag("projector_bias"))]
    return whole(c, JOINED, text, {"vision_tower": seen}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, "model.")
