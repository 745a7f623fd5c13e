"""Emu3's language model (arXiv 2409.18869): Llama's skeleton under `text_config`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.composite import language_model
from ._read.llama import llama_like
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("emu3",)


def architecture(c: Settings) -> Architecture:
    """The text class alone; it has no bias switches (the keys are not read)."""
    return llama_like(language_model(c, "emu3_text_model"), biases=[], mlp_bias=False)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an Emu3 text checkpoint."""
    return model(a, LLAMA)
