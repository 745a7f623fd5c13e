"""LLaVA (Liu et al. 2023, arXiv 2304.08485), its successors, ViP-LLaVA and Video-LLaVA: CLIP or SigLIP, two maps, a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import SPLIT, features, language, maps, norm_of, tower, vectors, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("llava", "llava_next", "llava_next_video", "llava_onevision", "vipllava", "video_llava")

NAMES = {
    "linear_1": "multi_modal_projector.linear_1",
    "linear_2": "multi_modal_projector.linear_2",
    "norm": "multi_modal_projector.projector_layernorm",
    "newline": "image_newline!",
}


def architecture(c: Settings) -> Architecture:
    """A list of feature layers makes the projector's input that much wider. Video-LLaVA has a tower for images and one for videos."""
    kind = "llava" if c.table is None else c.table.model_type
    text = language(c)
    video = kind == "video_llava"
    seen = tower(c)
    wide, into = text.width, seen.width * features(c)
    bias = kind == "vipllava" or c.flag("multimodal_projector_bias", True)
    projector = maps([("linear_1", wide, into), ("linear_2", wide, wide)], bias=bias)
    if kind == "vipllava":
        projector.append(norm_of(into))
    if kind in ("llava_next", "llava_next_video", "llava_onevision"):
        projector.append(vectors("newline", wide))
    places = ("video_tower", "image_tower") if video else ("vision_tower",)
    return whole(c, SPLIT, text, dict.fromkeys(places, seen), projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES)
