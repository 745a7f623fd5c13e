"""The image tower of Inkling 2 (Thinking Machines Lab): a class vector beside the patches, scaled pre-norm layers, maps of squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack
from .._read.decoder import QKVO, layer_norm
from .._read.plain import plain, sequential
from .._rows.names import Names
from ._layers import alone, heads, linear, repeated, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "class": "backbone.embeddings.class_embedding!",
        "class_position": "backbone.embeddings.cls_position_embedding!",
        "positions": "backbone.embeddings.position_embedding!",
        "patches": "backbone.embeddings.patch_embedding",
        "embedding_norm": "backbone.ln_pre",
        "layer": "backbone.layers.{layer}.",
        "attention.norm": "ln_1",
        "attention.scale": "ls_1.gamma!",
        **{f"attention.{part}": f"self_attn.{part[0]}_proj" for part in ("query", "key", "value")},
        "attention.output": "self_attn.out_proj",
        "feed_forward.norm": "ln_2",
        "feed_forward.scale": "ls_2.gamma!",
        "mlp.up": "mlp.c_fc",
        "mlp.down": "mlp.c_proj",
        "merge_1": "proj_in",
        "merge_2": "proj_out",
    },
    {
        "class": "embeddings.class_embedding!",
        "class_position": "embeddings.cls_position_embedding!",
        "positions": "embeddings.position_embedding",
        "patches": "embeddings.patch_embedding",
        "embedding_norm": "pre_layernorm",
        "layer": "layers.{layer}.",
        "attention.norm": "layernorm_before",
        "attention.scale": "lambda_1!",
        "feed_forward.norm": "layernorm_after",
        "feed_forward.scale": "lambda_2!",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
        "merge_1": "merger.linear_1",
        "merge_2": "merger.linear_2",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """A null `intermediate_size` is `mlp_ratio` times the width. What comes out is `text_hidden_size` wide."""
    wide, norm = c.int("hidden_size"), layer_norm(c)
    inner = c.optional_int("intermediate_size", minimum=1) or int(wide * (c.number("mlp_ratio", noted=True) or 0))
    steps = sequential(heads(c, wide, QKVO), plain(inner, c.text("hidden_act") or "gelu"), norm)
    steps = [step.model_copy(update={"layer_scale": True}) for step in steps]
    between, bias = c.int("projection_hidden_dim"), c.flag("projector_bias")
    beside = [
        vector("class", wide),
        vector("class_position", wide),
        vector("positions", c.int("posemb_grid_size") ** 2, wide),
        linear("patches", wide, c.int("num_channels") * c.int("patch_size") ** 2, bias=False),
        linear("merge_1", between, wide * c.int("spatial_merge_size") ** 2, bias=bias),
        linear("merge_2", c.int("text_hidden_size"), between, bias=bias),
    ]
    blocks = repeated(c, steps)
    return alone(Stack(stream="image", hidden_size=wide, blocks=blocks, embedding_norm=norm, component="vision", projections=beside))


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
