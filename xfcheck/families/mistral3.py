"""Mistral Small 3.1 and after it (transformers 5.24, models/mistral3): Pixtral's tower, squares of patches merged, two maps; LightOnOCR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import SPLIT, features, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mistral3",)

NAMES = {
    "norm": "multi_modal_projector.norm",
    "merger": "multi_modal_projector.patch_merger.merging_layer",
    "linear_1": "multi_modal_projector.linear_1",
    "linear_2": "multi_modal_projector.linear_2",
}


def architecture(c: Settings) -> Architecture:
    """Patches are normed, merged by one map, and mapped twice; `multimodal_projector_bias` is of the last two."""
    text, seen = language(c), tower(c)
    wide, into = text.width, seen.width
    projector = [norm_of(into, bias=False), *maps([("merger", into, into * c.int("spatial_merge_size") ** 2)], bias=False)]
    projector += maps([("linear_1", wide, into * features(c)), ("linear_2", wide, wide)], bias=c.flag("multimodal_projector_bias"))
    return whole(c, SPLIT, text, {"vision_tower": seen}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES)
