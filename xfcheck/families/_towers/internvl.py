"""InternViT (Chen et al. 2024, arXiv 2312.14238): pre-norm layers whose outputs are scaled channel by channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack, Sublayer
from ...architecture.norm import Norm
from .._read.decoder import layer_norm
from .._read.plain import plain
from .._rows.names import Names
from ._layers import alone, heads, normed, pair, patches, repeated, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.decoder import Biased
    from .._read.settings import Settings

NAMES = Names(
    {
        "class": "embeddings.cls_token!",
        "mask": "embeddings.mask_token!",
        "positions": "embeddings.position_embeddings!",
        "patches": "embeddings.patch_embeddings.projection",
        "layer": "encoder.layer.{layer}.",
        "attention.norm": "layernorm_before",
        "attention.query": "attention.q_proj",
        "attention.key": "attention.k_proj",
        "attention.value": "attention.v_proj",
        "attention.output": "attention.projection_layer",
        "attention.query_norm": "attention.q_norm",
        "attention.key_norm": "attention.k_norm",
        "attention.scale": "lambda_1!",
        "feed_forward.norm": "layernorm_after",
        "feed_forward.scale": "lambda_2!",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
        "last_norm": "layernorm",
    },
    base_prefix="",
)

QIANFAN = NAMES.but(
    {
        "class": "embeddings.class_embedding!",
        "positions": "embeddings.position_embedding!",
        "patches": "embeddings.patch_embedding",
        "layer": "encoder.layers.{layer}.",
        "attention.norm": "norm1",
        "attention.qkv": "attn.qkv",
        "attention.output": "attn.proj",
        "attention.scale": "ls1!",
        "feed_forward.norm": "norm2",
        "feed_forward.scale": "ls2!",
    },
    {
        **{key: name for key, name in NAMES.checkpoint.items() if key != "layer"},
        "layer": "layers.{layer}.",
        "attention.qkv": "attention.q_proj|attention.k_proj|attention.v_proj",
    },
)


def architecture(c: Settings) -> Architecture:
    """Layer norms or RMS norms; `use_qk_norm` norms queries and keys over their whole width; a norm behind unless patches are averaged."""
    hidden = c.int("hidden_size")
    plain_norm = layer_norm(c)
    norm = Norm(eps=plain_norm.eps) if c.text("norm_type") == "rms_norm" else plain_norm
    biases: list[Biased] = ["query", "key", "value", "output"] if c.flag("attention_bias") else ["output"]
    across = Norm(size=hidden) if c.flag("use_qk_norm") else None
    packed = c.table is not None and c.table.model_type == "qianfan_ocr_vision"
    own, forward = heads(c, hidden, biases, packed=packed, norm=across), plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")
    steps = [
        Sublayer(name="attention", mixers=[own], norm=norm, layer_scale=True),
        Sublayer(name="feed_forward", mixers=[forward], norm=norm, layer_scale=True),
    ]
    (high, wide), (tall, broad) = pair(c, "image_size"), pair(c, "patch_size")
    beside = [vector("class", 1, 1, hidden), patches(c, hidden, bias=True)]
    if c.flag("use_mask_token"):
        beside.append(vector("mask", 1, 1, hidden))
    if c.flag("use_absolute_position_embeddings"):
        beside.append(vector("positions", 1, (high // tall) * (wide // broad) + 1, hidden))
    if not c.flag("use_mean_pooling"):
        beside.append(normed("last_norm", hidden))
    stack = Stack(stream="image", hidden_size=hidden, blocks=repeated(c, steps), component="vision", projections=beside)
    return alone(stack).model_copy(update={"naming": "qianfan" if packed else None})


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, QIANFAN if a.naming == "qianfan" else NAMES)
