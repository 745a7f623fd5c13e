"""The image tower of Llama 3.2 Vision (arXiv 2407.21783, section 7.1): tiles of an image, local layers, then gated global ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Stack, Sublayer
from ...architecture.layers import LIMIT, LayerSet
from .._read.decoder import layer_norm
from .._read.plain import plain, sequential
from .._rows.names import Names
from ._layers import alone, heads, patches, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "class": "class_embedding!",
        "patches": "patch_embedding",
        "gate": "gated_positional_embedding.gate!",
        "positions": "gated_positional_embedding.embedding!",
        "tiles": "gated_positional_embedding.tile_embedding",
        "before_gate": "pre_tile_positional_embedding.gate!",
        "before": "pre_tile_positional_embedding.embedding",
        "after_gate": "post_tile_positional_embedding.gate!",
        "after": "post_tile_positional_embedding.embedding",
        "embedding_norm": "layernorm_pre",
        "final_norm": "layernorm_post",
        "layer": "transformer.layers.{layer}.",
        "global:layer": "global_transformer.layers.{layer}.",
        "attention.norm": "input_layernorm",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.o_proj",
        "attention.gate": "gate_attn!",
        "feed_forward.norm": "post_attention_layernorm",
        "feed_forward.gate": "gate_ffn!",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
    },
    base_prefix="",
)
RATIOS = 8
"""Aspect ratios of a class whose file lists none (configuration_mllama.py of transformers 5.24)."""


def architecture(c: Settings) -> Architecture:
    """A row for each of `supported_aspect_ratios`, and one for none, in each table of tiles."""
    wide, norm, tiles = c.int("hidden_size"), layer_norm(c, "norm_eps"), c.int("max_num_tiles")
    seen = (c.int("image_size") // c.int("patch_size")) ** 2 + 1
    given = c.list("supported_aspect_ratios")
    ratios = 1 + (RATIOS if given is None else len(given))
    own, forward = heads(c, wide), plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")
    steps = sequential(own, forward, norm)
    beside = [
        vector("class", wide),
        patches(c, wide, bias=False),
        vector("gate", 1),
        vector("positions", seen, wide),
        vector("tiles", ratios, tiles * seen * wide),
    ]
    for place in ("before", "after"):
        beside += [vector(f"{place}_gate", 1), vector(place, ratios, tiles * wide)]
    local = Stack(
        stream="image",
        hidden_size=wide,
        blocks=[_block(c, "num_hidden_layers", steps)],
        embedding_norm=norm,
        final_norm=norm,
        component="vision",
        projections=beside,
    )
    gated = [step.model_copy(update={"projections": [vector("gate", 1)]}) for step in steps]
    whole = Stack(name="global", stream="image", hidden_size=wide, blocks=[_block(c, "num_global_layers", gated)], component="vision")
    a = alone(local)
    return a.model_copy(update={"stacks": [local, whole]})


def _block(c: Settings, key: str, steps: list[Sublayer]) -> Block:
    return Block(name=key, layers=LayerSet.first(c.int(key, minimum=0, maximum=LIMIT)), sublayers=steps)


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
