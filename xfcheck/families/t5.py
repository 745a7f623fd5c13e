"""T5 (Raffel et al. 2019, arXiv 1910.10683) and mT5 (Xue et al. 2020, arXiv 2010.11934)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.t5_stacks import Style, t5_model
from ._rows.t5_names import t5_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("t5", "mt5")


def architecture(c: Settings) -> Architecture:
    """A relative bias in the first layer of each stack; the head is tied whatever the file says (transformers 5)."""
    return t5_model(c, Style())


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return t5_rows(a)
