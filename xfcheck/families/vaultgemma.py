"""VaultGemma: Gemma 2 with the norms before each step alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.blocks import prenorm
from ._rows.model import model
from ._rows.names import LLAMA
from .gemma2 import alternating

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("vaultgemma",)

NAMES = LLAMA.but({"feed_forward.norm": "pre_feedforward_layernorm"})


def architecture(c: Settings) -> Architecture:
    """Gemma 2's layers, each step behind one norm."""
    return alternating(c, prenorm)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a VaultGemma checkpoint."""
    return model(a, NAMES)
