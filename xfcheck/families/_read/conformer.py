"""Conformer layers (Gulati et al. 2020, arXiv 2005.08100): half a network, attention, a convolution, the other half, a norm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Projection, Sublayer
from ...architecture.masks import BIDIRECTIONAL
from .decoder import QKVO, layer_norm
from .encoder_decoder import NORM
from .plain import multi_head, plain
from .wave_encoder import running_norm

if TYPE_CHECKING:
    from .settings import Settings

PARTS = {
    **{
        f"{part}.{key}": name
        for part in ("ffn1", "ffn2")
        for key, name in (("up", f"{part}.intermediate_dense"), ("down", f"{part}.output_dense"), ("norm", f"{part}_layer_norm"))
    },
    "attention.norm": "self_attn_layer_norm",
    "attention.query": "self_attn.linear_q",
    "attention.key": "self_attn.linear_k",
    "attention.value": "self_attn.linear_v",
    "attention.output": "self_attn.linear_out",
    "attention.distances": "self_attn.linear_pos",
    "attention.content_bias": "self_attn.pos_bias_u!",
    "attention.distance_bias": "self_attn.pos_bias_v!",
    "convolution.norm": "conv_module.layer_norm",
    "convolution.up": "conv_module.pointwise_conv1",
    "convolution.depth": "conv_module.depthwise_conv",
    "convolution.batch_norm": "conv_module.batch_norm",
    "convolution.batch_norm_mean": "conv_module.batch_norm.running_mean!",
    "convolution.batch_norm_variance": "conv_module.batch_norm.running_var!",
    "convolution.batch_norm_batches": "conv_module.batch_norm.num_batches_tracked!",
    "convolution.down": "conv_module.pointwise_conv2",
    "ffn2.norm_residual": "final_layer_norm",
}
"""Names in wav2vec 2.0's Conformer."""


def conformer_layers(c: Settings) -> list[Sublayer]:
    """Layers of wav2vec 2.0's Conformer: distances are mapped where positions are relative (Transformer-XL, arXiv 1901.02860)."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    own = multi_head(c, hidden, mask=BIDIRECTIONAL, biases=QKVO)
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")

    def half(name: str) -> Sublayer:
        return Sublayer(name=name, mixers=[forward.model_copy(update={"name": name})], norm=norm, multiplier=0.5)

    relative = c.text("position_embeddings_type") == "relative"
    distances = distance_maps(hidden, own.query_heads, own.head_dim) if relative else []
    return [
        half("ffn1"),
        Sublayer(name="attention", mixers=[own], norm=norm, projections=distances),
        convolution(c, hidden, c.int("conv_depthwise_kernel_size"), bias=False),
        half("ffn2").model_copy(update={"norm_residual": norm}),
    ]


def distance_maps(hidden: int, heads: int, width: int) -> list[Projection]:
    """A map of the distances' sines, and two trained queries a head."""
    return [
        Projection(name="distances", shape=[hidden, hidden], component="attention"),
        Projection(name="content_bias", shape=[heads, width], multiplies=False, component="attention"),
        Projection(name="distance_bias", shape=[heads, width], multiplies=False, component="attention"),
    ]


def convolution(c: Settings, hidden: int, kernel: int, *, bias: bool) -> Sublayer:
    """A gated map, a filter of odd length a channel, a batch norm, a map. Raises Refused XF117 for an even length."""
    if kernel % 2 == 0:
        raise c.refuse("conv_depthwise_kernel_size", f"a filter of {kernel} taps has no middle", code="XF117")
    inside = [
        Projection(name="up", shape=[2 * hidden, hidden, 1], bias=bias, component="convolution"),
        Projection(name="depth", shape=[hidden, 1, kernel], bias=bias, component="convolution"),
        *running_norm("batch_norm", hidden),
        Projection(name="down", shape=[hidden, hidden, 1], bias=bias, component="convolution"),
    ]
    return Sublayer(name="convolution", mixers=[], norm=NORM, projections=inside)
