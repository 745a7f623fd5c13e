"""ColPali (Faysse et al. 2024, arXiv 2407.01449) and its kin: a model that sees, and a map from each of its vectors to one to search by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.model import Member
from ..architecture.vocabulary import Head
from ._classes import class_table
from ._read.decoder import dtype
from ._read.members import inner, read
from ._read.towers import Layout, Part, language, maps, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.blocks import Projection
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("colpali", "colqwen2", "colmodernvbert")

NAMES = {"linear": "vlm.multi_modal_projector.linear", "map": "embedding_proj_layer"}

PALI = Layout({"": "vlm.language_model.model."}, {"": "vlm.language_model."}, "vlm.", "vlm.")
QWEN = PALI._replace(text=PALI.module)


def architecture(c: Settings) -> Architecture:
    """PaliGemma, Qwen2-VL or ModernVBERT without a head; the map is applied to every token."""
    kind = "colpali" if c.table is None else c.table.model_type
    if kind == "colmodernvbert":
        settings, model_type = inner(c, "vlm_config", "modernvbert", "base")
        a = read(settings, model_type)
        member = Member(model_type=model_type, checkpoint={"": "vlm."}, architecture=a)
        own = {"members": [member], "projections": mapped(c, a.main.hidden_size), "dtype": dtype(c) or a.dtype}
        return a.model_copy(update=own)
    seeing = c.nested("vlm_config", class_table("qwen2_vl" if kind == "colqwen2" else "paligemma"))
    text, seen = headless(language(seeing, flat=kind == "colqwen2")), tower(seeing)
    projector = mapped(c, text.width)
    if kind == "colqwen2":
        return whole(c, QWEN, text, {"visual": seen}, projector)
    projector = [*maps([("linear", seeing.int("projection_dim"), seen.width)]), *projector]
    return whole(c, PALI, text, {"vision_tower": seen}, projector)


def mapped(c: Settings, width: int) -> list[Projection]:
    """The map to `embedding_dim`."""
    return maps([("map", c.int("embedding_dim"), width)], stream="text")


def headless(text: Part) -> Part:
    """The language model without a head of its own."""
    a = text.architecture
    return text._replace(architecture=a.model_copy(update={"head": Head(kind="none", stream=a.head.stream)}))


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, inside="")
