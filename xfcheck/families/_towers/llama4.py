"""The image tower of Llama 4 (transformers 5.24, models/llama4): patches through one map, rotary layers, squares of patches joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Stack
from ...architecture.norm import Norm
from .._read.decoder import QKVO
from .._read.plain import plain
from .._rows.names import Names
from ._layers import alone, column, heads, linear, pair, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "patches": "patch_embedding.linear",
        "class": "class_embedding!",
        "positions": "positional_embedding_vlm!",
        "embedding_norm": "layernorm_pre",
        "layer": "model.layers.{layer}.",
        "attention.norm": "input_layernorm",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.o_proj",
        "feed_forward.norm": "post_attention_layernorm",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
        "final_norm": "layernorm_post",
        "adapter_1": "vision_adapter.mlp.fc1",
        "adapter_2": "vision_adapter.mlp.fc2",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """The adapter reads joined patches, as many numbers as `intermediate_size` says."""
    wide, norm = c.int("hidden_size"), Norm(kind="layer", eps=1e-5, bias=True)
    (high, broad), inner, out = pair(c, "patch_size"), c.int("intermediate_size"), c.int("projector_output_dim")
    blocks = column(c, heads(c, wide, QKVO), plain(inner, c.text("hidden_act") or "gelu"), norm)
    beside = [
        linear("patches", wide, c.int("num_channels") * high * broad, bias=False),
        vector("class", wide),
        vector("positions", (c.int("image_size") // high) ** 2 + 1, wide),
        linear("adapter_1", c.int("projector_input_dim"), inner, bias=False),
        linear("adapter_2", out, out, bias=False),
    ]
    return alone(
        Stack(
            stream="image",
            hidden_size=wide,
            blocks=blocks,
            embedding_norm=norm,
            final_norm=norm,
            component="vision",
            projections=beside,
        )
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
