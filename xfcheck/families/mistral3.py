"""Mistral Small 3.1 and after it (transformers 5.24, models/mistral3): Pixtral's tower, squares of patches merged, two maps; LightOnOCR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import JOINED, SPLIT, features, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mistral3", "lighton_ocr")

NAMES = {
    "norm": "multi_modal_projector.norm",
    "merger": "multi_modal_projector.patch_merger.merging_layer",
    "linear_1": "multi_modal_projector.linear_1",
    "linear_2": "multi_modal_projector.linear_2",
}
JOINED_NAMES = {key: name.replace("multi_modal_projector", "vision_projection") for key, name in NAMES.items()}


def architecture(c: Settings) -> Architecture:
    """Patches are normed, merged by one map, and mapped twice; `multimodal_projector_bias` is of the last two, and not LightOnOCR's."""
    text, seen = language(c), tower(c)
    wide, into = text.width, seen.width
    projector = [norm_of(into, bias=False), *maps([("merger", into, into * c.int("spatial_merge_size") ** 2)], bias=False)]
    if c.table is not None and c.table.model_type == "lighton_ocr":
        projector += maps([("linear_1", wide, into), ("linear_2", wide, wide)], bias=False)
        return whole(c, JOINED, text, {"vision_encoder": seen}, projector).model_copy(update={"naming": "joined"})
    projector += maps([("linear_1", wide, into * features(c)), ("linear_2", wide, wide)], bias=c.flag("multimodal_projector_bias"))
    return whole(c, SPLIT, text, {"vision_tower": seen}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, JOINED_NAMES, "model.") if a.naming == "joined" else tower_rows(a, NAMES)
