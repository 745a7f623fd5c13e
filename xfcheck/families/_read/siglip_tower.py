"""The image towers of SigLIP (Zhai et al. 2023, arXiv 2303.15343) and CLIP (Radford et al. 2021, arXiv 2103.00020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Projection, Stack, Sublayer
from ...architecture.layers import LIMIT, LayerSet
from ...architecture.masks import BIDIRECTIONAL
from ...architecture.mixers.attention import Attention
from ...architecture.mixers.mlp import MLP
from ...architecture.positions.tables import Learned
from ...architecture.vocabulary import Embedding
from .decoder import QKVO, layer_norm, quotient

if TYPE_CHECKING:
    from .settings import Settings


def siglip_tower(c: Settings) -> Stack:
    """Patches, learned positions, pre-norm layers with biases, a norm, and the pooling head where `vision_use_head` asks for one.

    Nothing of it works without images. The tower's weights are counted as `vision`. A class with `num_patches` (SigLIP 2, arXiv 2502.14786)
    takes images of any shape: its patches pass a map, and the table of positions has that many rows. One with neither `num_patches` nor
    `image_size` has no table.
    """
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    heads, inner = c.int("num_attention_heads"), c.int("intermediate_size")
    patch, channels = c.int("patch_size"), c.int("num_channels")
    flat = c.table is not None and c.table.declares("num_patches")
    sized = c.table is None or c.table.declares("image_size")
    positions = c.int("num_patches") if flat else (c.int("image_size") // patch) ** 2 if sized else None
    own = Attention(query_heads=heads, kv_heads=heads, head_dim=quotient(c, hidden, heads), biases=QKVO, mask=BIDIRECTIONAL)
    forward = MLP(intermediate_size=inner, activation=c.text("hidden_act") or "gelu", gated=False, bias=True, output_bias=True)
    steps = [Sublayer(name="attention", mixers=[own], norm=norm), Sublayer(name="feed_forward", mixers=[forward], norm=norm)]
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    return Stack(
        stream="image",
        hidden_size=hidden,
        blocks=[Block(name="image", layers=layers, sublayers=steps)],
        embedding=None if positions is None else Embedding(rows=0, position=Learned(rows=positions)),
        final_norm=norm,
        component="vision",
        projections=[
            Projection(name="patches", shape=[hidden, channels * patch**2] if flat else [hidden, channels, patch, patch], bias=True),
            *(pooling(hidden, inner) if c.flag("vision_use_head") else []),
        ],
    )


def pooling(hidden: int, inner: int) -> list[Projection]:
    """A trained query attends to all patches, and a feed-forward network follows."""
    return [
        Projection(name="pool_query", shape=[1, 1, hidden], multiplies=False),
        Projection(name="pool_in", shape=[3 * hidden, hidden]),
        Projection(name="pool_in_bias", shape=[3 * hidden], multiplies=False),
        Projection(name="pool_out", shape=[hidden, hidden], bias=True),
        Projection(name="pool_norm", shape=[hidden], multiplies=False, bias=True),
        Projection(name="pool_up", shape=[inner, hidden], bias=True),
        Projection(name="pool_down", shape=[hidden, inner], bias=True),
    ]


def siglip_names(prefix: str) -> dict[str, str]:
    """The names of the tower's parts for stream `image`, under a prefix that ends in a dot."""
    layer = {
        "attention.norm": "layer_norm1",
        "feed_forward.norm": "layer_norm2",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.out_proj",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
    }
    whole = {
        "layer": "encoder.layers.{layer}.",
        "positions": "embeddings.position_embedding",
        "final_norm": "post_layernorm",
        "patches": "embeddings.patch_embedding",
        "pool_query": "head.probe!",
        "pool_in": "head.attention.in_proj_weight!",
        "pool_in_bias": "head.attention.in_proj_bias!",
        "pool_out": "head.attention.out_proj",
        "pool_norm": "head.layernorm",
        "pool_up": "head.mlp.fc1",
        "pool_down": "head.mlp.fc2",
    }
    return {**{f"image:{key}": name for key, name in layer.items()}, **{f"image:{key}": prefix + name for key, name in whole.items()}}


def clip_tower(c: Settings) -> Stack:
    """CLIP's tower (arXiv 2103.00020): SigLIP's layers, and before them a class vector, patches without a bias and a norm."""
    tower, norm = siglip_tower(c), layer_norm(c)
    patch = c.int("patch_size")
    return tower.model_copy(
        update={
            "embedding": Embedding(rows=0, position=Learned(rows=(c.int("image_size") // patch) ** 2 + 1)),
            "embedding_norm": norm,
            "projections": [
                Projection(name="class", shape=[tower.hidden_size], multiplies=False),
                Projection(name="patches", shape=[tower.hidden_size, c.int("num_channels"), patch, patch]),
            ],
        }
    )


def clip_names(prefix: str) -> dict[str, str]:
    """The names of CLIP's parts, likewise."""
    return {
        **siglip_names(prefix),
        "image:embedding_norm": f"{prefix}pre_layrnorm",
        "image:class": f"{prefix}embeddings.class_embedding!",
    }
