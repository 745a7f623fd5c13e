"""CLIP (arXiv 2103.00020), SigLIP (arXiv 2303.15343) and SigLIP 2 (arXiv 2502.14786): a tower of words beside one of images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.head import head_kind
from ._read.towers import Layout, maps, tower, vectors, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.blocks import Projection
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("clip", "siglip", "siglip2")

LAYOUT = Layout({"": "text_model."}, {"": "text_model."}, "", "")
NAMES = {"map": "visual_projection", "text_map": "text_projection", "scale": "logit_scale!", "shift": "logit_bias!"}


def architecture(c: Settings) -> Architecture:
    """CLIP maps both towers' vectors to one width and has a temperature; SigLIP has a temperature and a bias. No number is of images.

    FLOPs are those of the words' tower alone: the reference runs no pass without an image.
    """
    head_kind(c, "none")
    c.assume("vision_config", None, "no image is given: FLOPs are of the words' tower alone")
    text, seen = tower(c, "text_config", "encoder"), tower(c)
    pieces: list[Projection] = []
    if c.table is None or c.table.model_type == "clip":
        out = c.int("projection_dim")
        pieces = [*maps([("map", out, seen.width)], bias=False), *maps([("text_map", out, text.width)], bias=False, stream="pooled")]
        pieces.append(vectors("scale"))
    else:
        pieces = [vectors("scale", 1), vectors("shift", 1)]
    return whole(c, LAYOUT, text, {"vision_model": seen}, pieces)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint with both towers."""
    return tower_rows(a, NAMES, inside="")
