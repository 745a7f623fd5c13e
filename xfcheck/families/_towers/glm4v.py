"""The image tower of GLM-4.1V (arXiv 2507.01006), of GLM-4.5V and of GLM-OCR: gated layers, a strided convolution and a gated merger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Projection, Stack
from ...architecture.mixers.mlp import MLP
from ...architecture.norm import Norm
from .._read.decoder import QKV, QKVO
from .._rows.names import Names
from ._layers import alone, column, heads, linear, normed, pair, patches, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "positions": "embeddings.position_embedding",
        "patches": "patch_embed.proj",
        "embedding_norm": "post_conv_layernorm",
        "layer": "blocks.{layer}.",
        "attention.norm": "norm1",
        "attention.qkv": "attn.qkv",
        "attention.output": "attn.proj",
        "attention.query_norm": "attn.q_norm",
        "attention.key_norm": "attn.k_norm",
        "feed_forward.norm": "norm2",
        "mlp.gate": "mlp.gate_proj",
        "mlp.up": "mlp.up_proj",
        "mlp.down": "mlp.down_proj",
        "final_norm": "post_layernorm",
        "downsample": "downsample",
        "merger_in": "merger.proj",
        "merger_norm": "merger.post_projection_norm",
        "merger_gate": "merger.gate_proj",
        "merger_up": "merger.up_proj",
        "merger_down": "merger.down_proj",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """GLM-4.1V: networks as wide as the output, `intermediate_size` in the merger. GLM-OCR: norms of heads, no table of positions."""
    ocr = c.table is not None and c.table.model_type == "glm_ocr_vision"
    wide, out, norm, biased = c.int("hidden_size"), c.int("out_hidden_size"), Norm(eps=c.number("rms_norm_eps")), c.flag("attention_bias")
    own = heads(c, wide, (QKVO if ocr else QKV) if biased else (), packed=True, key="num_heads")
    inner = c.int("intermediate_size")
    if ocr:
        head_norm = norm.model_copy(update={"size": own.head_dim})
        own = own.model_copy(update={"query_norm": head_norm, "key_norm": head_norm})
    bias = ocr and biased
    forward = MLP(intermediate_size=inner if ocr else out, activation=c.text("hidden_act") or "silu", bias=bias, output_bias=bias)
    square = c.int("spatial_merge_size")
    beside = [patches(c, wide, bias=True, channels="in_channels", frames="temporal_patch_size")]
    if not ocr:
        beside.append(vector("positions", (c.int("image_size") // pair(c, "patch_size")[0]) ** 2, wide))
    beside.append(Projection(name="downsample", shape=[out, wide, square, square], bias=True))
    beside += merger(out, out * c.int("in_channels") if ocr else inner)
    stack = Stack(
        stream="image",
        hidden_size=wide,
        blocks=column(c, own, forward, norm, key="depth"),
        embedding_norm=None if ocr else norm,
        final_norm=norm,
        component="vision",
        projections=beside,
    )
    return alone(stack)


def merger(out: int, inner: int) -> list[Projection]:
    """A map, a norm, and a gated network without biases."""
    return [
        linear("merger_in", out, out, bias=False),
        normed("merger_norm", out),
        linear("merger_gate", inner, out, bias=False),
        linear("merger_up", inner, out, bias=False),
        linear("merger_down", out, inner, bias=False),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
