"""Pix2Struct (Lee et al. 2022, arXiv 2210.03347): patches of any shape of picture into an encoder, a T5 decoder of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL, CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.cross_attention import CrossAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.model import Architecture
from ..architecture.positions.biases import RelativeBias
from ..architecture.vocabulary import Embedding, Head
from ._classes import class_table
from ._read.decoder import dtype, quotient, rms
from ._read.head import head_kind
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("pix2struct",)

OWN, READS = "self_attention", "encoder_decoder_attention"

NAMES = Names(
    {
        "patches": "encoder.embeddings.patch_projection",
        "rows": "encoder.embeddings.row_embedder",
        "columns": "encoder.embeddings.column_embedder",
        "encoder:layer": "encoder.encoder.layer.{layer}.",
        "encoder:final_norm": "encoder.layernorm",
        **{f"encoder:attention.{part}": f"attention.{part}" for part in ("query", "key", "value", "output")},
        "encoder:attention.norm": "pre_attention_layer_norm",
        "encoder:feed_forward.norm": "pre_mlp_layer_norm",
        **{f"encoder:mlp.{part}": f"mlp.{name}" for part, name in (("gate", "wi_0"), ("up", "wi_1"), ("down", "wo"))},
        "embedding": "decoder.embed_tokens",
        "decoder:layer": "decoder.layer.{layer}.",
        "decoder:final_norm": "decoder.final_layer_norm",
        **{
            f"decoder:{slot}.{part}": f"{place}.attention.{part}"
            for slot, place in (("attention", OWN), ("cross_attention", READS))
            for part in ("query", "key", "value", "output")
        },
        "decoder:attention.relative_bias": f"{OWN}.attention.relative_attention_bias",
        "decoder:attention.norm": f"{OWN}.layer_norm",
        "decoder:cross_attention.norm": f"{READS}.layer_norm",
        "decoder:feed_forward.norm": "mlp.layer_norm",
        **{f"decoder:mlp.{part}": f"mlp.DenseReluDense.{name}" for part, name in (("gate", "wi_0"), ("up", "wi_1"), ("down", "wo"))},
        "head": "decoder.lm_head",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """The whole's `tie_word_embeddings` overwrites the decoder's."""
    head_kind(c, "seq2seq")
    sees, writes = (
        c.nested("vision_config", class_table("pix2struct_vision_model")),
        c.nested("text_config", class_table("pix2struct_text_model")),
    )
    rows = writes.int("vocab_size")
    return Architecture(
        embedding=Embedding(rows=rows, streams=["decoder"]),
        stacks=[encoder(sees), decoder(writes, sees.int("hidden_size"))],
        head=Head(kind="seq2seq", rows=rows, tied=c.flag("tie_word_embeddings"), stream="decoder"),
        dtype=dtype(c),
    )


def encoder(c: Settings) -> Stack:
    """A map of flattened patches, a table each for rows and columns; heads are `d_kv` wide."""
    wide, norm, seen = c.int("hidden_size"), rms(c, "layer_norm_eps"), c.int("seq_len")
    heads = c.int("num_attention_heads")
    own = Attention(query_heads=heads, kv_heads=heads, head_dim=c.int("d_kv"), mask=BIDIRECTIONAL)
    forward = MLP(intermediate_size=c.int("d_ff"), activation=c.text("dense_act_fn") or "gelu_new")
    steps = [Sublayer(name="attention", mixers=[own], norm=norm), Sublayer(name="feed_forward", mixers=[forward], norm=norm)]
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    return Stack(
        stream="encoder",
        hidden_size=wide,
        blocks=[Block(name="encoder", layers=layers, sublayers=steps)],
        final_norm=norm,
        projections=[
            Projection(name="patches", shape=[wide, c.int("patch_embed_hidden_size")], bias=True, component="vision"),
            *(Projection(name=n, shape=[seen, wide], multiplies=False, component="position_embedding") for n in ("rows", "columns")),
        ],
    )


def decoder(c: Settings, memory: int) -> Stack:
    """T5's decoder, gated; every matrix of its attention is as wide as the model, and the first layer holds the biases.

    What it reads must be as wide. Raises Refused XF117 where it is not.
    """
    wide, heads, norm = c.int("hidden_size"), c.int("num_heads"), rms(c, "layer_norm_epsilon")
    if memory != wide:
        raise c.refuse("hidden_size", f"hidden_size {wide} is not the encoder's {memory}", code="XF117")
    width, distance = quotient(c, wide, heads), c.int("relative_attention_max_distance")
    forward = MLP(intermediate_size=c.int("d_ff"), activation=c.text("dense_act_fn") or "gelu_new")
    layers = c.int("num_layers", minimum=0, maximum=LIMIT)

    def steps(*, table: bool) -> list[Sublayer]:
        bias = RelativeBias(buckets=c.int("relative_attention_num_buckets"), max_distance=distance, bidirectional=False, table=table)
        own = Attention(query_heads=heads, kv_heads=heads, head_dim=width, mask=CAUSAL, position=bias, scale=1.0)
        cross = CrossAttention(query_heads=heads, kv_heads=heads, head_dim=width, scale=1.0)
        parts = (("attention", own), ("cross_attention", cross), ("feed_forward", forward))
        return [Sublayer(name=name, mixers=[mixer], norm=norm) for name, mixer in parts]

    places = (("first", LayerSet.first(min(layers, 1))), ("later", LayerSet((range(1, layers),))))
    blocks = [Block(name=name, layers=held, sublayers=steps(table=name == "first")) for name, held in places if len(held)]
    return Stack(stream="decoder", hidden_size=wide, blocks=blocks, final_norm=norm)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
