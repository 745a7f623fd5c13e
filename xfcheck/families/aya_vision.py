"""Aya Vision (Dash et al. 2025, arXiv 2505.08751) and Command A Vision: SigLIP, squares of patches side by side, a gated projector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import JOINED, SPLIT, language, maps, norm_of, tower, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("aya_vision", "cohere2_vision")

NAMES = {f"linear_{n}": f"multi_modal_projector.linear_{n}" for n in (1, 2)} | {"norm": "multi_modal_projector.layernorm"}


def architecture(c: Settings) -> Architecture:
    """Half of the first map's output gates the other half. `alignment_intermediate_size`: its width, Aya's is the language model's."""
    command = c.table is not None and c.table.model_type == "cohere2_vision"
    text, seen = language(c), tower(c)
    into = seen.width * c.int("downsample_factor") ** 2
    inner = c.optional_int("alignment_intermediate_size", minimum=1) or text.width
    projector = [] if command else [norm_of(into)]
    projector += maps([("linear_1", inner, into), ("linear_2", text.width, inner // 2)])
    a = whole(c, JOINED if command else SPLIT, text, {"vision_tower": seen}, projector)
    return a.model_copy(update={"naming": "joined" if command else "split"})


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, "model." if a.naming == "joined" else "")
