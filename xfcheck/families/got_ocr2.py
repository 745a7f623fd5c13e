"""GOT-OCR 2.0 (arXiv 2409.01704): Segment Anything's image tower with windows, convolutions behind it, a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._read.towers import SPLIT, language, maps, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("got_ocr2", "pp_chart2table")

NAMES = {
    "halving_1": "multi_modal_projector.conv_upsampler1",
    "halving_2": "multi_modal_projector.conv_upsampler2",
    "image_map": "multi_modal_projector.multimodal_projector",
}


def architecture(c: Settings) -> Architecture:
    """Two convolutions with a stride, and a map."""
    text, seen = language(c), tower(c)
    narrow = seen.settings.int("output_channels")
    projector = [
        Projection(name="halving_1", shape=[2 * narrow, narrow, 3, 3], stream="image", component="projector"),
        Projection(name="halving_2", shape=[text.width, 2 * narrow, 3, 3], stream="image", component="projector"),
        *maps([("image_map", text.width, text.width)]),
    ]
    return whole(c, SPLIT, text, {"vision_tower": seen}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES)
