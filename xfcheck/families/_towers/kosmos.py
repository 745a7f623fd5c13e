"""The tower of Kosmos-2.5 (arXiv 2309.11419): Pix2Struct's layers over patches of any shape of image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack
from ...architecture.mixers.mlp import MLP
from ...architecture.norm import Norm
from .._rows.names import Names
from ._layers import alone, column, heads, linear, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "patches": "embeddings.patch_projection",
        "rows": "embeddings.row_embedder",
        "columns": "embeddings.column_embedder",
        "layer": "encoder.layer.{layer}.",
        "attention.norm": "pre_attention_layer_norm",
        **{f"attention.{part}": f"attention.{part}" for part in ("query", "key", "value", "output")},
        "feed_forward.norm": "pre_mlp_layer_norm",
        "mlp.gate": "mlp.wi_0",
        "mlp.up": "mlp.wi_1",
        "mlp.down": "mlp.wo",
        "final_norm": "layernorm",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """Rows and columns have a table each, of `max_num_patches` vectors; no bias inside the layers."""
    wide, norm, most = c.int("hidden_size"), Norm(eps=c.number("layer_norm_eps")), c.int("max_num_patches")
    forward = MLP(intermediate_size=c.int("intermediate_size"), activation=c.text("dense_act_fn") or "gelu")
    beside = [linear("patches", wide, c.int("patch_embed_hidden_size")), vector("rows", most, wide), vector("columns", most, wide)]
    blocks = column(c, heads(c, wide, width=c.int("head_dim")), forward, norm)
    return alone(Stack(stream="image", hidden_size=wide, blocks=blocks, final_norm=norm, component="vision", projections=beside))


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
