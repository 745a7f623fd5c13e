"""GIT (Wang et al. 2022, arXiv 2205.14100): CLIP's image tower, a map, and a post-norm decoder that reads both image and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.positions.tables import Learned
from ..architecture.vocabulary import Embedding
from ._classes import class_table
from ._read.decoder import QKVO, causal_model, layer_norm
from ._read.encoder import learned
from ._read.layers import depth
from ._read.plain import after_sum, multi_head, plain
from ._read.siglip_tower import siglip_names, siglip_tower
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("git",)

TOWER = "git.image_encoder.vision_model."

NAMES = bert_names(
    "git",
    siglip_names(TOWER),
    {
        "image:embedding_norm": f"{TOWER}pre_layrnorm",
        "class": f"{TOWER}embeddings.class_embedding!",
        "image_map": "git.visual_projection.visual_projection.0",
        "image_norm": "git.visual_projection.visual_projection.1",
        "frames": "git.img_temporal_embedding.{number}!",
    },
    head={"head": "output"},
)


def architecture(c: Settings) -> Architecture:
    """The tower and the map do no work without images. `num_image_with_embedding`: frames of a video, each with a vector of its own."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    own = multi_head(c, hidden, mask=CAUSAL, biases=QKVO)
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")
    block = Block(name="decoder", layers=LayerSet.first(depth(c)), sublayers=after_sum(own, forward, norm))
    stack = Stack(hidden_size=hidden, blocks=[block], embedding_norm=norm)
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


def clip_tower(c: Settings) -> Stack:
    """CLIP's tower (arXiv 2103.00020): SigLIP's layers, and before them a class vector, patches without a bias and a norm."""
    tower, norm = siglip_tower(c), layer_norm(c)
    patch = c.int("patch_size")
    return tower.model_copy(
        update={
            "embedding": Embedding(rows=0, position=Learned(rows=(c.int("image_size") // patch) ** 2 + 1)),
            "embedding_norm": norm,
            "projections": [
                Projection(name="class", shape=[tower.hidden_size], multiplies=False),
                Projection(name="patches", shape=[tower.hidden_size, c.int("num_channels"), patch, patch]),
            ],
        }
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GIT checkpoint."""
    return model(a, NAMES)
