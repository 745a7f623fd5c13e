"""Gemma 4's towers (transformers 5.24, models/gemma4): images by normed and rotated layers, sound by a Conformer (arXiv 2005.08100)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Projection, Stack, Sublayer
from ...architecture.layers import LIMIT, LayerSet
from ...architecture.mixers.mlp import MLP
from ...architecture.norm import Norm
from .._rows.names import Names
from ._layers import alone, heads, linear, normed, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

BOUNDS = ("input_min", "input_max", "output_min", "output_max")
"""What a clipped map keeps beside its weight, a number each."""

IMAGE_MAPS = {
    "attention": {part: f"self_attn.{part[0]}_proj" for part in ("query", "key", "value", "output")},
    "feed_forward": {part: f"mlp.{part}_proj" for part in ("gate", "up", "down")},
}
SOUND_MAPS = {
    "ff1": {"up": "feed_forward1.ffw_layer_1", "down": "feed_forward1.ffw_layer_2"},
    "attention": {**{part: f"self_attn.{part[0]}_proj" for part in ("query", "key", "value")}, "output": "self_attn.post"},
    "convolution": {"up": "lconv1d.linear_start", "down": "lconv1d.linear_end"},
    "ff2": {"up": "feed_forward2.ffw_layer_1", "down": "feed_forward2.ffw_layer_2"},
}


def _names(maps: dict[str, dict[str, str]]) -> dict[str, str]:
    """The names of the maps' weights and of their bounds."""
    out: dict[str, str] = {}
    for step, parts in maps.items():
        slot = "mlp" if step == "feed_forward" else step
        for part, path in parts.items():
            out[f"{slot}.{part}"] = f"{path}.linear"
            out.update({f"{step}.{part}_{bound}": f"{path}.{bound}!" for bound in BOUNDS})
    return out


IMAGE = Names(
    {
        **_names(IMAGE_MAPS),
        "patches": "patch_embedder.input_proj",
        "positions": "patch_embedder.position_embedding_table!",
        "layer": "encoder.layers.{layer}.",
        "attention.norm": "input_layernorm",
        "attention.norm_after": "post_attention_layernorm",
        "attention.query_norm": "self_attn.q_norm",
        "attention.key_norm": "self_attn.k_norm",
        "feed_forward.norm": "pre_feedforward_layernorm",
        "feed_forward.norm_after": "post_feedforward_layernorm",
        "shift": "std_bias!",
        "scale": "std_scale!",
    },
    base_prefix="",
)
SOUND = Names(
    {
        **_names(SOUND_MAPS),
        **{f"{slot}.norm": f"{name}.pre_layer_norm" for slot, name in (("ff1", "feed_forward1"), ("ff2", "feed_forward2"))},
        **{f"{slot}.norm_after": f"{name}.post_layer_norm" for slot, name in (("ff1", "feed_forward1"), ("ff2", "feed_forward2"))},
        "layer": "layers.{layer}.",
        "attention.norm": "norm_pre_attn",
        "attention.norm_after": "norm_post_attn",
        "attention.relative": "self_attn.relative_k_proj",
        "attention.scale": "self_attn.per_dim_scale!",
        "convolution.norm": "lconv1d.pre_layer_norm",
        "convolution.depth": "lconv1d.depthwise_conv1d",
        "convolution.inner_norm": "lconv1d.conv_norm",
        "ff2.norm_residual": "norm_out",
        "halving_1": "subsample_conv_projection.layer0.conv",
        "halving_1_norm": "subsample_conv_projection.layer0.norm",
        "halving_2": "subsample_conv_projection.layer1.conv",
        "halving_2_norm": "subsample_conv_projection.layer1.norm",
        "input_map": "subsample_conv_projection.input_proj_linear",
        "output_map": "output_proj",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """Either tower; `use_clipped_linears` keeps four bounds beside each map inside a layer, as buffers."""
    hears = c.table is not None and c.table.model_type == "gemma4_audio"
    return (sound if hears else image)(c)


def image(c: Settings) -> Architecture:
    """Rows and columns have a table each; values are normed without a weight. `standardize` keeps a shift and a scale as buffers."""
    wide, norm = c.int("hidden_size"), Norm(eps=c.number("rms_norm_eps"))
    width = c.int("head_dim")
    own = heads(c, wide, norm=norm.model_copy(update={"size": width}), kv=c.int("num_key_value_heads"), width=width)
    forward = MLP(intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_activation") or "gelu")
    steps = [
        Sublayer(name=name, mixers=[mixer], norm=norm, norm_after=norm, projections=bounds(c, IMAGE_MAPS[name]))
        for name, mixer in (("attention", own), ("feed_forward", forward))
    ]
    beside = [
        linear("patches", wide, 3 * c.int("patch_size") ** 2, bias=False),
        vector("positions", 2, c.int("position_embedding_size"), wide),
    ]
    if c.flag("standardize"):
        beside += [vector(name, wide).model_copy(update={"buffer": True}) for name in ("shift", "scale")]
    return alone(Stack(stream="image", hidden_size=wide, blocks=blocks(c, steps), component="vision", projections=beside))


def sound(c: Settings) -> Architecture:
    """Half a network, attention over chunks with distances, a convolution, the other half; two convolutions with a stride before."""
    wide, norm = c.int("hidden_size"), Norm(eps=c.number("rms_norm_eps"))
    own = heads(c, wide)
    channels = c.list("subsampling_conv_channels") or []
    if len(channels) != 2 or not all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in channels):
        raise c.refuse("subsampling_conv_channels", "subsampling_conv_channels must be two whole numbers")
    first, second = channels
    forward = MLP(intermediate_size=4 * wide, activation=c.text("hidden_act") or "silu", gated=False)

    def half(name: str) -> Sublayer:
        mixer = forward.model_copy(update={"name": name})
        return Sublayer(name=name, mixers=[mixer], norm=norm, norm_after=norm, multiplier=0.5, projections=bounds(c, SOUND_MAPS[name]))

    distances = [linear("relative", wide, wide, bias=False), vector("scale", own.head_dim)]
    mapped = [
        linear("up", 2 * wide, wide, bias=False),
        Projection(name="depth", shape=[wide, 1, c.int("conv_kernel_size")]),
        normed("inner_norm", wide, bias=False),
        linear("down", wide, wide, bias=False),
    ]
    steps = [
        half("ff1"),
        Sublayer(name="attention", mixers=[own], norm=norm, norm_after=norm, projections=[*distances, *bounds(c, SOUND_MAPS["attention"])]),
        Sublayer(name="convolution", mixers=[], norm=norm, projections=[*mapped, *bounds(c, SOUND_MAPS["convolution"])]),
        half("ff2").model_copy(update={"norm_residual": norm}),
    ]
    beside = [
        Projection(name="halving_1", shape=[first, 1, 3, 3]),
        normed("halving_1_norm", first, bias=False),
        Projection(name="halving_2", shape=[second, first, 3, 3]),
        normed("halving_2_norm", second, bias=False),
        linear("input_map", wide, first // 4 * second, bias=False),
        linear("output_map", c.int("output_proj_dims"), wide),
    ]
    return alone(Stack(stream="audio", hidden_size=wide, blocks=blocks(c, steps), component="audio", projections=beside))


def blocks(c: Settings, steps: list[Sublayer]) -> list[Block]:
    """Layers, all alike."""
    return [Block(name="tower", layers=LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT)), sublayers=steps)]


def bounds(c: Settings, maps: dict[str, str]) -> list[Projection]:
    """Four numbers a map where maps are clipped."""
    if not c.flag("use_clipped_linears"):
        return []
    return [Projection(name=f"{part}_{bound}", shape=[], multiplies=False, buffer=True) for part in maps for bound in BOUNDS]


def ledger(a: Architecture) -> list[Row]:
    """The rows of either tower."""
    return rows(a, SOUND if a.stacks[0].stream == "audio" else IMAGE)
