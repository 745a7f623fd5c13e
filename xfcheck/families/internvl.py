"""InternVL 3 (Zhu et al. 2025, arXiv 2504.10479): InternViT, squares of patches side by side, a norm and two maps, a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import SPLIT, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("internvl",)

NAMES = {f"linear_{n}": f"multi_modal_projector.linear_{n}" for n in (1, 2)} | {"norm": "multi_modal_projector.layer_norm"}


def architecture(c: Settings) -> Architecture:
    """`downsample_ratio`: the inverse of how many patches a side of a square has."""
    text, seen = language(c), tower(c)
    ratio = c.number("downsample_ratio", noted=True) or 1
    into = seen.width * int(1 / ratio) ** 2
    projector = [norm_of(into), *maps([("linear_1", text.width, into), ("linear_2", text.width, text.width)])]
    return whole(c, SPLIT, text, {"vision_tower": seen}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES)
