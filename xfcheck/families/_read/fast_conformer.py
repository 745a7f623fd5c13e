"""NVIDIA's Fast Conformer (Rekesh et al. 2023, arXiv 2305.05084): convolutions that make an eighth of the frames, Conformer layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Projection, Stack, Sublayer
from ...architecture.layers import LIMIT, LayerSet
from ...architecture.masks import BIDIRECTIONAL
from .conformer import convolution, distance_maps
from .decoder import QKVO
from .encoder_decoder import NORM
from .plain import multi_head, plain

if TYPE_CHECKING:
    from .settings import Settings

PARTS = {
    **{
        f"{part}.{key}": name
        for part, place in (("ffn1", "feed_forward1"), ("ffn2", "feed_forward2"))
        for key, name in (("up", f"{place}.linear1"), ("down", f"{place}.linear2"), ("norm", f"norm_{place}"))
    },
    "encoder:attention.norm": "norm_self_att",
    **{f"encoder:attention.{part}": f"self_attn.{part[0]}_proj" for part in ("query", "key", "value", "output")},
    "attention.distances": "self_attn.relative_k_proj",
    "attention.content_bias": "self_attn.bias_u!",
    "attention.distance_bias": "self_attn.bias_v!",
    "convolution.norm": "norm_conv",
    "convolution.up": "conv.pointwise_conv1",
    "convolution.depth": "conv.depthwise_conv",
    "convolution.batch_norm": "conv.norm",
    "convolution.batch_norm_mean": "conv.norm.running_mean!",
    "convolution.batch_norm_variance": "conv.norm.running_var!",
    "convolution.batch_norm_batches": "conv.norm.num_batches_tracked!",
    "convolution.down": "conv.pointwise_conv2",
    "ffn2.norm_residual": "norm_out",
}
"""Names inside a layer."""


def fast_conformer(c: Settings) -> Stack:
    """The encoder: `attention_bias` is of the feed-forward networks too."""
    hidden, bias = c.int("hidden_size"), c.flag("attention_bias")
    own = multi_head(c, hidden, mask=BIDIRECTIONAL, biases=QKVO if bias else [])
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "silu", bias=bias)

    def half(name: str) -> Sublayer:
        return Sublayer(name=name, mixers=[forward.model_copy(update={"name": name})], norm=NORM, multiplier=0.5)

    steps = [
        half("ffn1"),
        Sublayer(name="attention", mixers=[own], norm=NORM, projections=distance_maps(hidden, own.query_heads, own.head_dim)),
        convolution(c, hidden, c.int("conv_kernel_size"), bias=c.flag("convolution_bias")),
        half("ffn2").model_copy(update={"norm_residual": NORM}),
    ]
    return Stack(
        stream="encoder",
        hidden_size=hidden,
        blocks=[Block(name="encoder", layers=LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT)), sublayers=steps)],
        projections=subsampling(c, hidden),
    )


def subsampling(c: Settings, hidden: int) -> list[Projection]:
    """A convolution, then a filter a channel and a map for each further halving; a map of all channels and bins that are left.

    They are numbered with the activations between them. One vector leaves for so many frames as `subsampling_factor` says.
    """
    side, channels, stride = c.int("subsampling_conv_kernel_size"), c.int("subsampling_conv_channels"), c.int("subsampling_conv_stride")
    halvings = c.int("subsampling_factor").bit_length() - 1
    bins = c.int("num_mel_bins") // stride**halvings
    found = [Projection(name="subsampling0", shape=[channels, 1, side, side], bias=True, component="convolution")]
    for place in range(2, 3 * halvings - 1, 3):
        found.append(Projection(name=f"subsampling{place}", shape=[channels, 1, side, side], bias=True, component="convolution"))
        found.append(Projection(name=f"subsampling{place + 1}", shape=[channels, channels, 1, 1], bias=True, component="convolution"))
    return [*found, Projection(name="frames_map", shape=[hidden, channels * bins], bias=True)]


def subsampling_names(projections: list[Projection], front: str) -> dict[str, str]:
    """The names of the numbered convolutions under `front`."""
    return {p.name: f"{front}{p.name.removeprefix('subsampling')}" for p in projections if p.name.startswith("subsampling")}
