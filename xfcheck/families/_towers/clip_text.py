"""The text towers of CLIP (Radford et al. 2021, arXiv 2103.00020) and SigLIP (Zhai et al. 2023, arXiv 2303.15343)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Stack
from ...architecture.layers import LIMIT, LayerSet
from ...architecture.masks import CAUSAL
from ...architecture.model import Architecture
from ...architecture.positions.tables import Learned
from ...architecture.vocabulary import Embedding, Head
from .._read.decoder import QKVO, layer_norm
from .._read.plain import plain, sequential
from .._rows.names import Names
from ._layers import heads, linear, rows

if TYPE_CHECKING:
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "embedding": "embeddings.token_embedding",
        "positions": "embeddings.position_embedding",
        "layer": "encoder.layers.{layer}.",
        "attention.norm": "layer_norm1",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.out_proj",
        "feed_forward.norm": "layer_norm2",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
        "final_norm": "final_layer_norm",
        "map": "head",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """CLIP's words see those before them, SigLIP's all; nothing is kept between passes. SigLIP maps what it makes of the last word."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    own, causal = heads(c, hidden, QKVO), c.table is not None and c.table.model_type == "clip_text_model"
    own = own.model_copy(update={"mask": CAUSAL}) if causal else own
    steps = sequential(own, plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu"), norm)
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    out = c.optional_int("projection_size", minimum=1) or hidden
    stack = Stack(
        stream="encoder",
        hidden_size=hidden,
        blocks=[Block(name="text", layers=layers, sublayers=steps)],
        final_norm=norm,
        projections=[] if causal else [linear("map", out, hidden).model_copy(update={"stream": "pooled", "component": "projector"})],
    )
    words = Embedding(rows=c.int("vocab_size"), position=Learned(rows=c.int("max_position_embeddings")), streams=["encoder"])
    return Architecture(embedding=words, stacks=[stack], head=Head(kind="none", stream="encoder"))


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, NAMES)
