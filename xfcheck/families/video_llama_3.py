"""VideoLLaMA 3 (Zhang et al. 2025, arXiv 2501.13106) and HyperCLOVA X SEED Vision: a tower, a small projector, a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import JOINED, language, maps, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("video_llama_3", "hyperclovax_vision_v2")

NAMES = {"linear_1": "projector.readout.0", "linear_2": "projector.readout.2", "map": "vision_projector"}

HYPERCLOVAX = JOINED._replace(text={"lm_head.": "model.language_model.lm_head.", **JOINED.text})


def architecture(c: Settings) -> Architecture:
    """VideoLLaMA 3 maps SigLIP's patches twice; HyperCLOVA X maps what Qwen2.5-VL's tower has merged once."""
    text, seen = language(c), tower(c)
    if c.table is not None and c.table.model_type == "hyperclovax_vision_v2":
        projector = maps([("map", text.width, seen.settings.int("out_hidden_size"))])
        return whole(c, HYPERCLOVAX, text, {"vision_model": seen}, projector)
    projector = maps([("linear_1", text.width, seen.width), ("linear_2", text.width, text.width)])
    return whole(c, JOINED, text, {"vision_model": seen}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, "model.", module={"map": "projector"})
