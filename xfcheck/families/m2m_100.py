"""M2M-100 (Fan et al. 2020, arXiv 2010.11125) and the dense NLLB models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.encoder_decoder import Style, encoder_decoder
from ._rows.bart_names import bart_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("m2m_100",)


def architecture(c: Settings) -> Architecture:
    """Pre-norm; sinusoidal positions that are computed anew, no bias on the scores."""
    return encoder_decoder(c, Style(pre_norm=True, final_norm=True, embedding_norm=False, positions="none", offset=2, logits_bias=False))


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return bart_rows(a)
