"""Gemma 3 (arXiv 2503.19786) and ShieldGemma 2 with their image tower: SigLIP, a norm and a map, the language model of `gemma3_text`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._classes import class_table
from ._read.head import CLASSIFIERS, head_kind
from ._read.settings import Settings
from ._read.siglip_tower import siglip_names, siglip_tower
from ._read.towers import tied
from ._rows.model import model
from .gemma3_text import NAMES as TEXT
from .gemma3_text import architecture as text_architecture

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("gemma3", "shieldgemma2")

PROJECTOR = {
    "image_projection": "multi_modal_projector.mm_input_projection_weight!",
    "image_norm": "multi_modal_projector.mm_soft_emb_norm",
}
WHOLE = {"embedding": "embed_tokens", "layer": "layers.{layer}.", "final_norm": "norm"}

NAMES = TEXT.but(
    {
        **{key: f"language_model.model.{name}" for key, name in WHOLE.items()},
        "head": "language_model.lm_head",
        **siglip_names("vision_tower."),
        **PROJECTOR,
    },
    {
        **{key: f"model.language_model.{name}" for key, name in WHOLE.items()},
        "head": "lm_head",
        **siglip_names("model.vision_tower."),
        **{key: f"model.{name}" for key, name in PROJECTOR.items()},
    },
)


def architecture(c: Settings) -> Architecture:
    """The tower does no work without images; the whole config's tie flag decides about the head."""
    inner = c.mapping("text_config") or {}
    outer = {key: c.data[key] for key in ("quantization_config", "dtype", "torch_dtype") if key in c.data and key not in inner}
    kind = head_kind(c)
    kind = "causal" if kind == "seq2seq" else kind
    made = text_architecture(Settings({**inner, **outer}, class_table("gemma3_text"), pointer=c.at("text_config"), reading=c.reading))
    tower = siglip_tower(c.nested("vision_config", class_table("siglip_vision_model")))
    projector = [
        Projection(name="image_projection", shape=[tower.hidden_size, made.main.hidden_size], stream="image", component="projector"),
        Projection(name="image_norm", shape=[tower.hidden_size], multiplies=False, component="projector"),
    ]
    if kind in CLASSIFIERS or kind == "none":
        c.assume("architectures", None, "only the class with a language-model head is compared", estimated=True)
    ties = tied(c, Settings(inner, class_table("gemma3_text"), pointer=c.at("text_config"), reading=c.reading))
    head = made.head.model_copy(update={"tied": bool(ties), "prefix": None})
    shield = c.table is not None and c.table.model_type == "shieldgemma2"
    more = {"stacks": [*made.stacks, tower], "projections": projector, "head": head, "naming": "shield" if shield else made.naming}
    return made.model_copy(update=more)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Gemma 3 checkpoint; transformers 5.24 writes those of ShieldGemma 2 under one more `model`."""
    rows = model(a, NAMES)
    if a.naming != "shield":
        return rows
    return [_moved(row) for row in rows]


def _moved(row: Row) -> Row:
    """Under one more `model`, but the head, which is beside it."""
    name = "lm_head.weight" if row.role.component == "head" else f"model.{row.name}"
    return row._replace(name=name, module=row.module or row.name, tied_to=None if row.tied_to is None else f"model.{row.tied_to}")
