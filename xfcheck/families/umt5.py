"""UMT5 (Chung et al. 2023, arXiv 2304.09151)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.t5_stacks import Style, t5_model
from ._rows.t5_names import t5_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("umt5",)


def architecture(c: Settings) -> Architecture:
    """T5 with a bias table in every layer; always tied (transformers 5)."""
    return t5_model(c, Style(tables_everywhere=True))


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return t5_rows(a)
