"""ViT (Dosovitskiy et al. 2020, arXiv 2010.11929) and DeiT (arXiv 2012.12877) as encoders of images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack
from .._read.decoder import QKVO, head_dim, layer_norm
from .._read.plain import plain
from .._rows.names import Names
from ._layers import alone, column, heads, linear, pair, patches, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "class": "embeddings.cls_token!",
        "teacher": "embeddings.distillation_token!",
        "positions": "embeddings.position_embeddings!",
        "patches": "embeddings.patch_embeddings.projection",
        "layer": "encoder.layer.{layer}.",
        "attention.norm": "layernorm_before",
        "attention.query": "attention.attention.query",
        "attention.key": "attention.attention.key",
        "attention.value": "attention.attention.value",
        "attention.output": "attention.output.dense",
        "feed_forward.norm": "layernorm_after",
        "mlp.up": "intermediate.dense",
        "mlp.down": "output.dense",
        "final_norm": "layernorm",
        "pooler": "pooler.dense",
    },
    {
        "layer": "layers.{layer}.",
        "attention.query": "attention.q_proj",
        "attention.key": "attention.k_proj",
        "attention.value": "attention.v_proj",
        "attention.output": "attention.o_proj",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """A class vector, DeiT's one for its teacher too, patches, positions for all; the whole's class makes a pooler of the first."""
    wide, norm, distilled = c.int("hidden_size"), layer_norm(c), c.table is not None and c.table.model_type == "deit"
    own = heads(c, wide, QKVO if c.flag("qkv_bias") else ["output"], width=head_dim(c, wide, c.int("num_attention_heads")))
    (high, broad), (tall, across) = pair(c, "image_size"), pair(c, "patch_size")
    tokens = (high // tall) * (broad // across) + (2 if distilled else 1)
    out = c.optional_int("pooler_output_size", minimum=1) or wide
    beside = [vector("class", 1, 1, wide), *([vector("teacher", 1, 1, wide)] if distilled else [])]
    beside += [vector("positions", 1, tokens, wide), patches(c, wide, bias=True)]
    beside.append(linear("pooler", out, wide).model_copy(update={"stream": "pooled"}))
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")
    stack = Stack(
        stream="image",
        hidden_size=wide,
        blocks=column(c, own, forward, norm),
        fixed_length=tokens,
        final_norm=norm,
        component="vision",
        projections=beside,
    )
    return alone(stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of the encoder."""
    return rows(a, NAMES)
