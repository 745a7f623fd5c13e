"""DeepSeek-VL (Lu et al. 2024, arXiv 2403.05525): SigLIP, in larger models Segment Anything beside it, maps, a Llama."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._read.towers import JOINED, language, maps, norm_of, tower, vectors, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("deepseek_vl", "deepseek_vl_hybrid")

NECK, FINE = "high_res_vision_neck.", "high_res_vision_proj."
NAMES = {
    "linear_1": "aligner.linear1",
    "linear_2": "aligner.linear2",
    "map": "aligner.vision_proj",
    "fine_map": "aligner.high_res_vision_proj",
    "both_map": "aligner.proj",
    "narrowing": f"{NECK}conv1",
    "narrow_norm": f"{NECK}layer_norm1",
    "smoothing": f"{NECK}conv2",
    "smooth_norm": f"{NECK}layer_norm2",
    "halving_1": f"{FINE}conv1",
    "halving_2": f"{FINE}conv2",
    "share": "high_res_vision_alpha!",
}


def architecture(c: Settings) -> Architecture:
    """The hybrid gives each tower half of the width, and takes what one layer of the fine tower sees through a second neck."""
    text, seen = language(c), tower(c)
    if c.table is None or c.table.model_type == "deepseek_vl":
        sizes = [("linear_1", text.width, seen.width), ("linear_2", text.width, text.width)]
        return whole(c, JOINED, text, {"vision_model": seen}, maps(sizes))
    fine = tower(c, "high_res_vision_config")
    narrow, half = fine.settings.int("output_channels"), text.width // 2
    convolutions = [
        ("narrowing", [narrow, fine.width, 1, 1]),
        ("smoothing", [narrow, narrow, 3, 3]),
        ("halving_1", [2 * narrow, narrow, 3, 3]),
        ("halving_2", [4 * narrow, 2 * narrow, 3, 3]),
    ]
    projector = [
        *(Projection(name=name, shape=shape, stream="image", component="projector") for name, shape in convolutions),
        norm_of(narrow, "narrow_norm"),
        norm_of(narrow, "smooth_norm"),
        vectors("share", 1),
        *maps([("map", half, seen.width), ("fine_map", half, 4 * narrow), ("both_map", text.width, text.width)]),
    ]
    return whole(c, JOINED, text, {"vision_model": seen, "high_res_vision_model": fine}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, "model.")
