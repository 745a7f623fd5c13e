"""The image tower of BLIP-2 (Li et al. 2023, arXiv 2301.12597) and InstructBLIP (arXiv 2305.06500): EVA-CLIP's layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack
from .._read.decoder import QKVO, layer_norm
from .._read.plain import plain
from .._rows.names import Names
from ._layers import alone, column, heads, patches, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "class": "embeddings.class_embedding!",
        "positions": "embeddings.position_embedding!",
        "patches": "embeddings.patch_embedding",
        "layer": "encoder.layers.{layer}.",
        "attention.norm": "layer_norm1",
        "attention.qkv": "self_attn.qkv",
        "attention.output": "self_attn.projection",
        "feed_forward.norm": "layer_norm2",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
        "final_norm": "post_layernorm",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """`qkv_bias`: query, key and value have one bias together; the output always has its own."""
    wide, norm = c.int("hidden_size"), layer_norm(c)
    own = heads(c, wide, QKVO if c.flag("qkv_bias") else ["output"], packed=True)
    blocks = column(c, own, plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu"), norm)
    seen = (c.int("image_size") // c.int("patch_size")) ** 2 + 1
    beside = [vector("class", 1, 1, wide), patches(c, wide, bias=True, channels=None), vector("positions", 1, seen, wide)]
    return alone(Stack(stream="image", hidden_size=wide, blocks=blocks, final_norm=norm, component="vision", projections=beside))


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
