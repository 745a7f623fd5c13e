"""Granite Docling 2 (transformers 5.24, models/granite_docling): a tower that joins patches by two routes, and a Granite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import TEXT_MODEL, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("granite_docling",)

NAMES = {key: f"density_router.{name}" for key, name in (("score", "att"), ("norm", "norm"), ("fc1", "fc1"), ("fc2", "fc2"))}


def architecture(c: Settings) -> Architecture:
    """`density_router_hidden_size`: a small network that picks an image's route; null is none."""
    text, seen = language(c), tower(c)
    inner = c.optional_int("density_router_hidden_size", minimum=1)
    picking = (
        [] if inner is None else [*maps([("score", 1, seen.width), ("fc1", inner, seen.width), ("fc2", 1, inner)]), norm_of(seen.width)]
    )
    return whole(c, TEXT_MODEL, text, {"vision_model": seen}, picking)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, "model.")
