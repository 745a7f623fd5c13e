"""Segment Anything's image tower (Kirillov et al. 2023, arXiv 2304.02643): windows in most layers, convolutions behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Projection, Stack
from ...architecture.layers import LIMIT, LayerSet
from .._read.decoder import QKVO, layer_norm
from .._read.plain import plain, sequential
from .._rows.names import Names
from ._layers import alone, heads, normed, patches, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

LAYER = {
    "attention.norm": "layer_norm1",
    "attention.qkv": "attn.qkv",
    "attention.output": "attn.proj",
    "attention.rows": "attn.rel_pos_h!",
    "attention.columns": "attn.rel_pos_w!",
    "feed_forward.norm": "layer_norm2",
    "mlp.up": "mlp.lin1",
    "mlp.down": "mlp.lin2",
}
WHOLE = {
    "layer": "layers.{layer}.",
    "positions": "pos_embed!",
    "patches": "patch_embed.projection",
    "narrowing": "neck.conv1",
    "narrow_norm": "neck.layer_norm1",
    "smoothing": "neck.conv2",
    "smooth_norm": "neck.layer_norm2",
}
NAMES = {
    "plain": Names({**LAYER, **WHOLE}, base_prefix=""),
    "inside": Names({**LAYER, **{key: f"vision_encoder.{name}" for key, name in WHOLE.items()}}, base_prefix=""),
}


def architecture(c: Settings) -> Architecture:
    """Pre-norm layers over a square of patches, each with a vector a distance in rows and in columns of what it sees.

    A `mlp_dim` that is null is `mlp_ratio` times the width. SAM's own class holds all this in a `vision_encoder`.
    """
    hidden, norm, narrow = c.int("hidden_size"), layer_norm(c), c.int("output_channels")
    side, window = c.int("image_size") // c.int("patch_size"), c.int("window_size", minimum=0)
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    wanted = c.list("global_attn_indexes") or []
    whole = LayerSet.of(i for i in layers if i in wanted)
    inner = c.optional_int("mlp_dim") or int(hidden * (c.number("mlp_ratio", noted=True) or 0))
    own = heads(c, hidden, QKVO if c.flag("qkv_bias") else ["output"], packed=True)
    blocks = []
    for name, held, seen in (("windows", LayerSet.of(i for i in layers if i not in wanted), window or side), ("whole", whole, side)):
        steps = sequential(own, plain(inner, c.text("hidden_act") or "gelu"), norm)
        if c.flag("use_rel_pos"):
            distances = [vector(axis, 2 * seen - 1, own.head_dim) for axis in ("rows", "columns")]
            steps[0] = steps[0].model_copy(update={"projections": distances})
        blocks.append(Block(name=name, layers=held, sublayers=steps))
    stack = Stack(
        stream="image",
        hidden_size=hidden,
        blocks=[block for block in blocks if len(block.layers)],
        component="vision",
        projections=[
            *([vector("positions", 1, side, side, hidden)] if c.flag("use_abs_pos") else []),
            patches(c, hidden, bias=True),
            Projection(name="narrowing", shape=[narrow, hidden, 1, 1]),
            normed("narrow_norm", narrow),
            Projection(name="smoothing", shape=[narrow, narrow, 3, 3]),
            normed("smooth_norm", narrow),
        ],
    )
    inside = c.table is not None and c.table.model_type == "sam_vision_model"
    return alone(stack).model_copy(update={"naming": "inside" if inside else "plain"})


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES[a.naming or "plain"])
