"""GIT (Wang et al. 2022, arXiv 2205.14100): CLIP's image tower, a map, and a post-norm decoder that reads both image and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import CAUSAL
from ._classes import class_table
from ._read.decoder import QKVO, causal_model, layer_norm
from ._read.dense import alike
from ._read.encoder import learned
from ._read.plain import after_sum, multi_head, plain
from ._read.siglip_tower import clip_names, clip_tower
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("git",)

TOWER = "git.image_encoder.vision_model."

NAMES = bert_names(
    "git",
    clip_names(TOWER),
    {
        "image_map": "git.visual_projection.visual_projection.0",
        "image_norm": "git.visual_projection.visual_projection.1",
        "frames": "git.img_temporal_embedding.{number}!",
    },
    head={"head": "output"},
)


def architecture(c: Settings) -> Architecture:
    """The tower and the map do no work without images. `num_image_with_embedding`: frames of a video, each with a vector of its own."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")

    def layer(kept: int | None) -> list[Sublayer]:
        return after_sum(multi_head(c, hidden, mask=CAUSAL, biases=QKVO, kept_tokens=kept), forward, norm)

    stack = alike(c, hidden, layer, None).model_copy(update={"embedding_norm": norm})
    made = causal_model(c, stack, head_bias=True, position=learned(c))
    tower = clip_tower(c.nested("vision_config", class_table("git_vision_model")))
    frames = c.optional_int("num_image_with_embedding", maximum=LIMIT) or 0
    between = [
        Projection(name="image_map", shape=[hidden, tower.hidden_size], bias=True, stream="image", component="projector"),
        Projection(name="image_norm", shape=[hidden], multiplies=False, bias=True, component="projector"),
    ]
    if frames:
        shape = [1, 1, tower.hidden_size]
        numbers = LayerSet.first(frames)
        between.append(Projection(name="frames", shape=shape, multiplies=False, component="projector", numbers=numbers))
    return made.model_copy(update={"stacks": [*made.stacks, tower], "projections": between})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GIT checkpoint."""
    return model(a, NAMES)
