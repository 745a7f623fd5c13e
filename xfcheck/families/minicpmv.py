"""MiniCPM-V 4.6, 4.7 and MiniCPM-OCR (transformers 5.24, models/minicpmv4_6): patches are merged in the tower and behind it; Qwen3.5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LIMIT, LayerSet
from ._read.towers import JOINED, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.blocks import Projection
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("minicpmv4_6", "minicpmv4_7", "minicpm_ocr")

PIECES = {"norm": "pre_norm", "linear_1": "linear_1", "linear_2": "linear_2"}
NAMES = {f"{key}{place}": "merger.mlp.{number}." + name for key, name in PIECES.items() for place in ("", "_inside")}


def architecture(c: Settings) -> Architecture:
    """`merger_times` networks join four vectors each, the last of them in the language model's width."""
    text, seen = language(c), tower(c)
    times, flat = c.int("merger_times", maximum=LIMIT), 4 * seen.width

    def network(out: int, place: str, numbers: LayerSet) -> list[Projection]:
        made = [norm_of(flat, f"norm{place}"), *maps([(f"linear_1{place}", flat, flat), (f"linear_2{place}", out, flat)])]
        return [projection.model_copy(update={"numbers": numbers}) for projection in made]

    projector = network(text.width, "", LayerSet.of([times - 1]))
    if times > 1:
        projector += network(seen.width, "_inside", LayerSet.first(times - 1))
    return whole(c, JOINED, text, {"vision_tower": seen}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, "model.")
