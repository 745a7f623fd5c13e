"""mBART (Liu et al. 2020, arXiv 2001.08210)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.encoder_decoder import Style, encoder_decoder
from ._rows.bart_names import bart_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mbart",)


def architecture(c: Settings) -> Architecture:
    """Pre-norm, learned positions from row 2 on, norms after the tables and after the last layer."""
    return encoder_decoder(c, Style(pre_norm=True, final_norm=True, offset=2))


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return bart_rows(a)
