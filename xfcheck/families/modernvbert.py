"""ModernVBERT (Teiletche et al. 2025, arXiv 2510.01149) and UltraVBERT: an encoder of words that reads a SigLIP tower's patches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Projection
from ..architecture.vocabulary import Head
from . import modernbert, ultrabert
from ._classes import class_table
from ._read.encoder import ONCE, Tasks, encoder_model
from ._read.head import head_kind, labels
from ._read.siglip_tower import siglip_names, siglip_tower
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Stack
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("modernvbert", "ultravbert")

IMAGES = {
    **siglip_names("model.vision_model."),
    "connector": "model.connector.modality_projection",
    "connector_norm": "model.connector.norm",
    "classifier": "classifier",
}
NAMES = {
    "modernvbert": modernbert.NAMES.but(
        {
            "embedding": "model.text_model.embeddings.tok_embeddings",
            "embedding_norm": "model.text_model.embeddings.norm",
            "layer": "model.text_model.layers.{layer}.",
            "final_norm": "model.text_model.final_norm",
            "masked:transform": "projection_head.dense",
            "masked:transform_norm": "projection_head.norm",
            "head": "lm_head",
            **IMAGES,
        }
    ),
    "ultravbert": LLAMA.but(
        {
            "embedding": "model.text_model.embed_tokens",
            "layer": "model.text_model.layers.{layer}.",
            "final_norm": "model.text_model.norm",
            "head": "head.decoder",
            "head_in": "head.linear1",
            "head_out": "head.linear2",
            **IMAGES,
        },
        {"head": "lm_head", "head_in": "projection_head.linear1", "head_out": "projection_head.linear2"},
    ),
}


def architecture(c: Settings) -> Architecture:
    """Without images the tower and the connector, which shuffles blocks of patches into one vector, do no work."""
    naming = "modernvbert" if c.table is None else c.table.model_type
    text = c.nested("text_config", class_table("ultrabert" if naming == "ultravbert" else "modernbert"))
    vision = c.nested("vision_config", class_table("siglip_vision_model"))
    stack = (ultrabert if naming == "ultravbert" else modernbert).encoder(text)
    head, pieces = _head(c, text, stack, naming)
    tower = siglip_tower(_made(c, vision))
    shape = [stack.hidden_size, tower.hidden_size * c.int("pixel_shuffle_factor") ** 2]
    pieces.append(Projection(name="connector", shape=shape, component="projector", stream="image"))
    if naming == "ultravbert":
        pieces.append(Projection(name="connector_norm", shape=[stack.hidden_size], multiplies=False, component="projector"))
    a = encoder_model(text, stack, Tasks(pooled=(), transform=False), naming=naming, types=0, projections=pieces, head=head)
    return a.model_copy(update={"stacks": [stack, tower]})


def _made(c: Settings, vision: Settings) -> Settings:
    """An absent tower is made with the values that the whole config's class gives it."""
    given = c.table.sub_defaults.get("vision_config") if c.table is not None and c.mapping("vision_config") is None else None
    return vision if not given else type(vision)({**given, **vision.data}, vision.table, pointer=vision.pointer, reading=vision.reading)


def _head(c: Settings, text: Settings, stack: Stack, naming: str) -> tuple[Head, list[Projection]]:
    """`tie_word_embeddings` and the labels are the whole config's, everything else the text's."""
    kind, rows = head_kind(c, "masked"), text.int("vocab_size")
    words = kind == "masked"
    count = labels(c) if kind in ("sequence_classification", "token_classification") else 0
    common: dict[str, Any] = {"kind": kind, "labels": count, "per_sequence": kind in ONCE}
    if words:
        common |= {"rows": rows, "tied": c.flag("tie_word_embeddings")}
    if naming == "modernvbert":
        return modernbert.head_and_pieces(text, stack.hidden_size, Head(bias=count > 0, **common))
    return Head(bias=count > 0, **common), ultrabert.scores(stack.hidden_size, text.int("prediction_head_size")) if words else []


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES[a.naming or "modernvbert"])
