"""CLIP's image tower (Radford et al. 2021, arXiv 2103.00020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._read.siglip_tower import clip_names, clip_tower
from .._rows.names import Names
from ._layers import alone, rows

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(clip_names(""), base_prefix="")


def architecture(c: Settings) -> Architecture:
    """All layers and the last norm, whichever layer's output a whole takes."""
    return alone(clip_tower(c))


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
