"""Inkling 2 and its looped form (Thinking Machines Lab): a tower of images before Inkling 2's language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import PLAIN, language, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("inkling2", "inkling2_loop")

LAYOUT = PLAIN._replace(front="model.")


def architecture(c: Settings) -> Architecture:
    """The tower merges patches itself: nothing lies between it and the language model."""
    return whole(c, LAYOUT, language(c), {"visual": tower(c)}, [], modules={"visual": "vision_tower"})


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, {})
