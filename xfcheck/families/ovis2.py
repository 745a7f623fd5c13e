"""Ovis 2 (Lu et al. 2024, arXiv 2405.20797): patches become mixtures of a table's vectors, as words are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import JOINED, language, tower, vectors, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("ovis2",)


def architecture(c: Settings) -> Architecture:
    """The head and the table of pictures have the whole's own `hidden_size`, the head its `vocab_size`."""
    text, seen = language(c), tower(c)
    spoken, rows = text.architecture, c.int("vocab_size")
    if not spoken.head.tied:
        text = text._replace(architecture=spoken.model_copy(update={"head": spoken.head.model_copy(update={"rows": rows})}))
    table = vectors("table", seen.settings.int("vocab_size"), c.int("hidden_size"))
    return whole(c, JOINED, text, {"vision_tower": seen}, [table])


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, {"table": "visual_embeddings_table"}, "model.")
