"""PaddleOCR-VL (arXiv 2510.14528): SigLIP's layers, squares of patches side by side, two maps, ERNIE 4.5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import PLAIN, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("paddleocr_vl",)

NAMES = {"norm": "mlp_AR.pre_norm", "linear_1": "mlp_AR.linear_1", "linear_2": "mlp_AR.linear_2"}
MODULES = {"norm": "projector.pre_norm", "linear_1": "projector.linear_1", "linear_2": "projector.linear_2"}


def architecture(c: Settings) -> Architecture:
    """The norm comes before patches are joined. Published files are flat."""
    text, seen = language(c, flat=True), tower(c)
    flat = seen.width * seen.settings.int("spatial_merge_size") ** 2
    projector = [norm_of(seen.width), *maps([("linear_1", flat, flat), ("linear_2", text.width, flat)])]
    return whole(c, PLAIN, text, {"visual": seen}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, module=MODULES)
