"""The image tower of Muse Glimmer (Meta): patches of a few frames, windows in most layers, norms around all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack
from .._read.decoder import QKVO, layer_norm
from .._read.encoder_decoder import NORM
from .._read.plain import plain
from .._rows.names import Names
from ._layers import alone, column, heads, linear, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "patches": "patch_embedder.patch_embedding",
        "positions": "patch_embedder.position_embedding_table",
        "embedding_norm": "ln_pre",
        "final_norm": "ln_post",
        "layer": "layers.{layer}.",
        "attention.norm": "norm1",
        **{f"attention.{part}": f"attn.{part[0]}_proj" for part in ("query", "key", "value")},
        "attention.output": "attn.proj",
        "feed_forward.norm": "norm2",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """A position for each place of a grid, which other grids are interpolated from."""
    wide, norm = c.int("hidden_size"), layer_norm(c)
    patch = 3 * c.int("patch_temporal") * c.int("patch_size") ** 2
    return alone(
        Stack(
            stream="image",
            hidden_size=wide,
            blocks=column(c, heads(c, wide, QKVO), plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu"), NORM),
            embedding_norm=norm,
            final_norm=norm,
            component="vision",
            projections=[
                linear("patches", wide, patch, bias=False),
                vector("positions", c.int("pos_emb_height") * c.int("pos_emb_width"), wide),
            ],
        )
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
