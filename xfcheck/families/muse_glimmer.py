"""Muse Glimmer (Meta): a tower whose squares of patches pass two maps and a third before the language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import JOINED, language, maps, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("muse_glimmer",)

NAMES = {"linear_1": "vision_adapter.fc1", "linear_2": "vision_adapter.fc2", "map": "vision_projection"}


def architecture(c: Settings) -> Architecture:
    """`out_hidden_size` is as wide as the patches of a square side by side."""
    text, between = language(c), c.int("projector_hidden_size")
    sizes = [("linear_1", between, c.int("out_hidden_size")), ("linear_2", between, between), ("map", text.width, between)]
    return whole(c, JOINED, text, {"vision_tower": tower(c)}, maps(sizes, bias=False))


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, "model.")
