"""BLIP-2's query transformer (Li et al. 2023, arXiv 2301.12597): trained queries that read an image in some of its post-norm layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Stack, Sublayer
from ...architecture.layers import LIMIT
from ...architecture.mixers.cross_attention import CrossAttention
from ...architecture.mixers.mlp import MLP
from .._read.decoder import QKVO, layer_norm
from .._read.layers import every
from .._rows.names import Names
from ._layers import alone, heads, normed, rows, vector

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

NAMES = Names(
    {
        "norm": "layernorm",
        "words": "embeddings.word_embeddings",
        "positions": "embeddings.position_embeddings",
        "words_norm": "embeddings.layernorm",
        "layer": "encoder.layer.{layer}.",
        **{
            f"{slot}.{part}": f"{place}.{name}"
            for slot, place in (("attention", "attention"), ("cross_attention", "crossattention"))
            for part, name in (
                ("query", "attention.query"),
                ("key", "attention.key"),
                ("value", "attention.value"),
                ("output", "output.dense"),
                ("norm_residual", "output.LayerNorm"),
            )
        },
        "words.up": "intermediate.dense",
        "words.down": "output.dense",
        "words_forward.norm_residual": "output.LayerNorm",
        "mlp.up": "intermediate_query.dense",
        "mlp.down": "output_query.dense",
        "feed_forward.norm_residual": "output_query.LayerNorm",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """Each `cross_attention_frequency`-th layer, from the first on, reads the image.

    InstructBLIP's reads words too: with tables of its own, and a feed-forward network for them in each layer; so does BLIP-2's where
    `use_qformer_text_input` says so, without the tables.
    """
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    instructed = c.table is not None and not c.table.declares("use_qformer_text_input")
    own = heads(c, hidden, QKVO)
    cross = CrossAttention(
        query_heads=own.query_heads,
        kv_heads=own.kv_heads,
        head_dim=own.head_dim,
        biases=QKVO,
        memory="image",
        memory_size=c.int("encoder_hidden_size"),
    )
    inner, act = c.int("intermediate_size"), c.text("hidden_act") or "gelu"
    forward = MLP(intermediate_size=inner, activation=act, gated=False, bias=True, output_bias=True)
    last = [Sublayer(name="feed_forward", mixers=[forward], norm_residual=norm)]
    if instructed or c.flag("use_qformer_text_input"):
        last.append(Sublayer(name="words_forward", mixers=[forward.model_copy(update={"name": "words"})], norm_residual=norm))
    first = Sublayer(name="attention", mixers=[own], norm_residual=norm)
    reading = Sublayer(name="cross_attention", mixers=[cross], norm_residual=norm)
    layers = c.int("num_hidden_layers", minimum=0, maximum=LIMIT)
    blocks = [
        Block(name=kind, layers=held, sublayers=[first, *([reading] if kind == "reading" else []), *last])
        for kind, held in every(layers, c.int("cross_attention_frequency"), "reading", "plain", offset=0).items()
    ]
    beside = [normed("norm", hidden)]
    if instructed:
        beside = [vector("words", c.int("vocab_size"), hidden), vector("positions", c.int("max_position_embeddings"), hidden)]
        beside.append(normed("words_norm", hidden))
    return alone(Stack(stream="image", hidden_size=hidden, blocks=blocks, component="projector", projections=beside))


def ledger(a: Architecture) -> list[Row]:
    """The rows of the query transformer."""
    return rows(a, NAMES)
