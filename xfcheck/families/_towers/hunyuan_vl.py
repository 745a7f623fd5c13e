"""The image towers of HunyuanOCR (arXiv 2511.19575) and Hunyuan V4: pre-norm layers, and a merger with marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Projection, Stack
from .._read.decoder import QKVO, layer_norm
from .._read.plain import plain
from .._rows.names import Names
from ._layers import alone, column, heads, linear, normed, patches, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

MARKS = ("newline", "begin", "end", "sep")
NAMES = Names(
    {
        "patches": "embeddings.patch_embedding",
        "positions": "embeddings.position_embedding",
        "layer": "layers.{layer}.",
        "attention.norm": "input_layernorm",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.o_proj",
        "feed_forward.norm": "post_attention_layernorm",
        "mlp.up": "mlp.dense_h_to_4h",
        "mlp.down": "mlp.dense_4h_to_h",
        "merge_1": "perceive.proj.0",
        "merge_2": "perceive.proj.2",
        "merge_3": "perceive.mlp",
        "before": "perceive.before_rms",
        "after": "perceive.after_rms",
        **{mark: f"perceive.image_{mark}!" for mark in MARKS},
    },
    {
        "attention.norm": "layer_norm1",
        "feed_forward.norm": "layer_norm2",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
        "merge_1": "patch_merger.proj_conv",
        "merge_2": "patch_merger.proj_out",
        "merge_3": "patch_merger.mlp",
        "before": "patch_merger.before_rms",
        "after": "patch_merger.after_rms",
        **{mark: f"patch_merger.image_{mark}!" for mark in MARKS},
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """As many key heads as query heads; a position a patch of the largest image, and one more. Its width of output has a key by class."""
    wide = c.int("hidden_size")
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")
    short = c.table is not None and c.table.model_type == "hy_v4_vl_vision"
    beside = [
        patches(c, wide, bias=True),
        vector("positions", (c.int("max_image_size") // c.int("patch_size")) ** 2 + 1, wide),
        normed("before", wide, bias=False),
        *(short_merger(c, wide, c.int("out_hidden_size")) if short else merger(c, wide, c.int("text_hidden_size"))),
    ]
    blocks = column(c, heads(c, wide, QKVO), forward, layer_norm(c, "rms_norm_eps"))
    made = alone(Stack(stream="image", hidden_size=wide, blocks=blocks, component="vision", projections=beside))
    return made.model_copy(update={"naming": "short" if short else None})


def merger(c: Settings, wide: int, out: int) -> list[Projection]:
    """Squares of patches to one vector, three maps, a norm, four marks."""
    square = c.int("spatial_merge_size")
    return [
        Projection(name="merge_1", shape=[2 * wide, wide, square, square], bias=True),
        Projection(name="merge_2", shape=[4 * wide, 2 * wide, 1, 1], bias=True),
        linear("merge_3", out, 4 * wide),
        normed("after", out, bias=False),
        *(vector(mark, 4 * wide if mark == "newline" else out) for mark in MARKS),
    ]


def short_merger(c: Settings, wide: int, out: int) -> list[Projection]:
    """Hunyuan V4's: two maps and the mark of a row's end."""
    square = c.int("spatial_merge_size")
    between = wide * square**2
    return [
        Projection(name="merge_1", shape=[between, wide, square, square], bias=True),
        Projection(name="merge_2", shape=[out, between, 1, 1], bias=True),
        vector("newline", out),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES.but({"before": "perceive.norm"}) if a.naming == "short" else NAMES)
