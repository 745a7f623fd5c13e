"""SigLIP (Zhai et al. 2023, arXiv 2303.15343) and the towers that are built like it: SigLIP 2, Idefics 2 and 3, SmolVLM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._read.siglip_tower import siglip_names, siglip_tower
from .._rows.names import Names
from ._layers import alone, rows

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = {place: Names(siglip_names(place), base_prefix="") for place in ("", "vision_model.")}


def architecture(c: Settings) -> Architecture:
    """SigLIP's layers; a pooling head where the class has a switch for it and it is on. PaddleOCR-VL's class holds them in another."""
    inside = c.table is not None and c.table.model_type == "paddleocr_vl_vision"
    return alone(siglip_tower(c)).model_copy(update={"naming": "vision_model." if inside else ""})


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES[a.naming or ""])
