"""The image tower of MiniMax M3 (transformers 5.24, models/minimax_m3_vl): CLIP's layers over patches of two frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack
from .._read.decoder import QKVO, layer_norm
from .._read.plain import plain
from .._rows.names import Names
from ._layers import alone, column, heads, patches, rows

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "patches": "vision_model.embeddings.patch_embedding",
        "embedding_norm": "vision_model.pre_layrnorm",
        "layer": "vision_model.encoder.layers.{layer}.",
        "attention.norm": "layer_norm1",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.out_proj",
        "feed_forward.norm": "layer_norm2",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
    },
    {"patches": "embeddings.proj", "embedding_norm": "pre_layrnorm", "layer": "layers.{layer}."},
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """No table of positions, no class vector, no norm behind."""
    wide, norm = c.int("hidden_size"), layer_norm(c)
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")
    return alone(
        Stack(
            stream="image",
            hidden_size=wide,
            blocks=column(c, heads(c, wide, QKVO), forward, norm),
            embedding_norm=norm,
            component="vision",
            projections=[patches(c, wide, bias=False, frames="temporal_patch_size")],
        )
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
