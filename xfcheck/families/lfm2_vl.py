"""LFM2-VL (Liquid AI 2025, arXiv 2511.23404): SigLIP 2, squares of patches side by side, two maps, LFM2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import JOINED, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("lfm2_vl",)

NAMES = {f"linear_{n}": f"multi_modal_projector.linear_{n}" for n in (1, 2)} | {"norm": "multi_modal_projector.layer_norm"}


def architecture(c: Settings) -> Architecture:
    """The older key `tie_embedding` beats `tie_word_embeddings`; the projector's norm may be switched off."""
    older = c.data.get("tie_embedding")
    text, seen = language(c, ties=older if isinstance(older, bool) else None), tower(c)
    into, inner = seen.width * c.int("downsample_factor") ** 2, c.int("projector_hidden_size")
    projector = [norm_of(into)] if c.flag("projector_use_layernorm") else []
    projector += maps([("linear_1", inner, into), ("linear_2", text.width, inner)], bias=c.flag("projector_bias"))
    return whole(c, JOINED, text, {"vision_tower": seen}, projector)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, "model.")
