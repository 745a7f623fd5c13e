"""InternVL 3 (Zhu et al. 2025, arXiv 2504.10479): InternViT, squares of patches side by side, a norm, two maps; Qianfan-OCR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import SPLIT, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("internvl", "qianfan_ocr")

NAMES = {f"linear_{n}": f"multi_modal_projector.linear_{n}" for n in (1, 2)} | {"norm": "multi_modal_projector.layer_norm"}

QIANFAN = {"norm": "mlp1.0", "linear_1": "mlp1.1", "linear_2": "mlp1.3"}

LAYOUT = SPLIT._replace(text={"model.layers.": "language_model.model.encoder.layers.", **SPLIT.text})
"""Qianfan-OCR: transformers 5.24 writes the language model's layers inside an `encoder`: its renaming of the tower's takes them along."""


def architecture(c: Settings) -> Architecture:
    """`downsample_ratio`: the inverse of how many patches a side of a square has."""
    text, seen = language(c), tower(c)
    ratio = c.number("downsample_ratio", noted=True) or 1
    into = seen.width * int(1 / ratio) ** 2
    projector = [norm_of(into), *maps([("linear_1", text.width, into), ("linear_2", text.width, text.width)])]
    if c.table is not None and c.table.model_type == "qianfan_ocr":
        a = whole(c, LAYOUT, text, {"vision_model": seen}, projector, modules={"vision_model": "vision_tower"})
        return a.model_copy(update={"naming": "qianfan"})
    return whole(c, SPLIT, text, {"vision_tower": seen}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, QIANFAN, module=NAMES) if a.naming == "qianfan" else tower_rows(a, NAMES)
