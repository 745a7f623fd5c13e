"""BLIP-2 (Li et al. 2023, arXiv 2301.12597) and InstructBLIP (arXiv 2305.06500): an image tower, a query transformer, a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._classes import class_table
from ._read.towers import BESIDE, language, maps, tower, vectors, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("blip-2", "instructblip", "instructblipvideo")

NAMES = {"queries": "query_tokens!", "map": "language_projection"}


def architecture(c: Settings) -> Architecture:
    """The language model keeps its own class, head and ties; one that is no decoder is an encoder-decoder.

    A text alone does not pass in the reference, which asks for an image: the FLOPs are the language model's, without one.
    """
    said = (c.mapping("text_config") or {}).get("model_type", "opt")
    table = class_table(said)
    text = language(c, kind="causal" if table is None or "causal" in table.architectures.values() else "seq2seq")
    seen = tower(c)
    c.assume("vision_config", None, "no image is given, as no pass of the reference is: FLOPs are of the language model alone")
    asking = tower(c, "qformer_config", over={"encoder_hidden_size": seen.width})
    projector = [vectors("queries", 1, c.int("num_query_tokens"), asking.width), *maps([("map", text.width, asking.width)])]
    return whole(c, BESIDE, text, {"vision_model": seen, "qformer": asking}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, inside="")
