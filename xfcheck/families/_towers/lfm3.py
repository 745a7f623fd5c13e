"""The image tower of LFM3-VL (Liquid AI): gated convolutions over the plane of patches, and attention in every other layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Projection, Stack, Sublayer
from ...architecture.mixers.mlp import MLP
from ...architecture.norm import Norm
from .._read.decoder import quotient
from .._read.hybrid import CONV, FULL
from .._read.layers import depth, grouped, listed
from .._rows.names import Names
from ._layers import alone, heads, linear, rows

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "patches": "patchifier",
        "embedding_norm": "embedding_norm",
        "layer": "layers.{layer}.",
        "convolution.norm": "operator_norm",
        "convolution.in": "conv.in_proj",
        "convolution.plane": "conv.spatial_conv",
        "convolution.out": "conv.out_proj",
        "attention.norm": "operator_norm",
        **{f"attention.{part}": f"self_attn.{part[0]}_proj" for part in ("query", "key", "value")},
        "attention.output": "self_attn.out_proj",
        "attention.query_norm": "self_attn.q_layernorm",
        "attention.key_norm": "self_attn.k_layernorm",
        "feed_forward.norm": "ffn_norm",
        "mlp.gate": "feed_forward.w1",
        "mlp.up": "feed_forward.w3",
        "mlp.down": "feed_forward.w2",
    },
    {"patches": "patch_embed", "attention.query_norm": "self_attn.q_norm", "attention.key_norm": "self_attn.k_norm"},
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """By class the first layer and every odd one are convolutions; a patch holds some frames of a video."""
    wide, side, norm = c.int("hidden_size"), c.int("conv_kernel_size"), Norm(eps=c.number("norm_eps"))
    layers = depth(c)
    kinds = listed(c, layers) or grouped(CONV if i < 2 or i % 2 else FULL for i in range(layers))
    count = c.int("num_attention_heads")
    inner = norm.model_copy(update={"size": quotient(c, wide, count)})
    own = heads(c, wide, norm=inner, kv=c.int("num_key_value_heads"))
    plane = [
        linear("in", 3 * wide, wide, bias=False),
        Projection(name="plane", shape=[wide, 1, side, side]),
        linear("out", wide, wide, bias=False),
    ]
    mixing = {
        CONV: Sublayer(name="convolution", mixers=[], norm=norm, projections=plane),
        FULL: Sublayer(name="attention", mixers=[own], norm=norm),
    }
    forward = Sublayer(name="feed_forward", mixers=[MLP(intermediate_size=c.int("intermediate_size"))], norm=norm)
    blocks = [Block(name=kind, layers=held, sublayers=[mixing[CONV if kind == CONV else FULL], forward]) for kind, held in kinds.items()]
    patch = c.int("in_channels") * c.int("temporal_patch_size") * c.int("patch_size") ** 2
    return alone(
        Stack(
            stream="image",
            hidden_size=wide,
            blocks=blocks,
            embedding_norm=norm,
            component="vision",
            projections=[linear("patches", wide, patch, bias=False)],
        )
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
