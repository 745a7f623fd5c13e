"""PLBART (Ahmad et al. 2021, arXiv 2103.06333)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.encoder_decoder import Style, encoder_decoder
from ._rows.bart_names import bart_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("plbart",)


def architecture(c: Settings) -> Architecture:
    """Post-norm, learned positions from row 2 on, a norm after the tables."""
    return encoder_decoder(c, Style(offset=2))


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return bart_rows(a)
