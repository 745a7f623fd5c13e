"""MoonViT with a table for rows and columns (Kimi-VL, arXiv 2504.07491; Kimi K2.5, arXiv 2602.02276)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack
from ...architecture.norm import Norm
from .._read.decoder import QKVO
from .._read.plain import plain
from .._rows.names import Names
from ._layers import alone, column, heads, normed, patches, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "patches": "encoder.patch_embed.proj",
        "positions": "patch_embed.pos_emb.weight!",
        "layer": "encoder.blocks.{layer}.",
        "attention.norm": "norm0",
        "attention.qkv": "wqkv",
        "attention.output": "wo",
        "feed_forward.norm": "norm1",
        "mlp.up": "mlp.fc0",
        "mlp.down": "mlp.fc1",
        "last_norm": "encoder.final_layernorm",
    },
    {
        "patches": "patch_embed.proj",
        "positions": "patch_embed.pos_emb.position_embeddings!",
        "layer": "layers.{layer}.",
        "attention.norm": "norm1",
        "attention.qkv": "attn.q_proj|attn.k_proj|attn.v_proj",
        "attention.output": "attn.proj",
        "feed_forward.norm": "norm2",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
        "last_norm": "final_layernorm",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """Plain pre-norm layers; the table is interpolated to the shape of an image."""
    wide, norm = c.int("hidden_size"), Norm(kind="layer", eps=1e-5, bias=True)
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")
    table = vector("positions", c.int("pos_emb_height"), c.int("pos_emb_width"), wide)
    stack = Stack(
        stream="image",
        hidden_size=wide,
        blocks=column(c, heads(c, wide, QKVO, packed=True), forward, norm),
        component="vision",
        projections=[patches(c, wide, bias=True, channels=None), table, normed("last_norm", wide)],
    )
    return alone(stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
