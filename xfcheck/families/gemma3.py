"""Gemma 3 with its image tower (arXiv 2503.19786): SigLIP, a norm and a map, and the language model of `gemma3_text`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._classes import class_table
from ._read.head import CLASSIFIERS, head_kind
from ._read.settings import Settings
from ._read.siglip_tower import siglip_names, siglip_tower
from ._rows.model import model
from .gemma3_text import NAMES as TEXT
from .gemma3_text import architecture as text_architecture

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("gemma3",)

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
    head = made.head.model_copy(update={"tied": c.flag("tie_word_embeddings"), "prefix": None})
    return made.model_copy(update={"stacks": [*made.stacks, tower], "projections": projector, "head": head})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Gemma 3 checkpoint."""
    return model(a, NAMES)
