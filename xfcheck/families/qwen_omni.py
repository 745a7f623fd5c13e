"""The thinkers of Qwen2.5-Omni (Xu et al. 2025, arXiv 2503.20215) and Qwen3-Omni (arXiv 2509.17765): they see and hear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import PLAIN, language, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen2_5_omni_thinker", "qwen3_omni_moe_thinker")


def architecture(c: Settings) -> Architecture:
    """Nothing lies between the towers and the language model; what speaks is in no thinker."""
    towers = {"audio_tower": tower(c, "audio_config", "audio"), "visual": tower(c)}
    return whole(c, PLAIN, language(c), towers, [])


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, {})
