"""Granite Speech (Saon et al. 2025, arXiv 2505.08699): a Conformer tower and a query transformer before a Granite language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.cross_attention import CrossAttention
from ..architecture.mixers.mlp import MLP
from ._classes import class_table
from ._read.audio_language import audio_language, language_width
from ._read.decoder import QKVO, layer_norm, quotient
from ._read.encoder_decoder import NORM
from ._read.layers import every
from ._rows.audio_names import audio_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("granite_speech", "granite_speech_plus")

QFORMER = "projector.qformer.encoder.layer.{layer}."

PARTS = {
    "audio:layer": "encoder.layers.{layer}.",
    "input_map": "encoder.input_linear",
    "middle_out": "encoder.out",
    "middle_in": "encoder.out_mid",
    **{
        f"{part}.{key}": f"{part}.{name}"
        for part in ("ff1", "ff2")
        for key, name in (("norm", "pre_norm"), ("up", "up_proj"), ("down", "down_proj"))
    },
    "audio:attention.norm": "attn.pre_norm",
    "audio:attention.query": "attn.to_q",
    "audio:attention.key_value": "attn.to_kv",
    "audio:attention.output": "attn.to_out",
    "attention.distances": "attn.rel_pos_emb",
    "convolution.norm": "conv.norm",
    "convolution.up": "conv.up_conv",
    "convolution.depth": "conv.depth_conv.conv",
    "convolution.batch_norm": "conv.batch_norm",
    "convolution.mean": "conv.batch_norm.running_mean!",
    "convolution.variance": "conv.batch_norm.running_var!",
    "convolution.batches": "conv.batch_norm.num_batches_tracked!",
    "convolution.down": "conv.down_conv",
    "ff2.norm_residual": "post_norm",
    "qformer:layer": QFORMER,
    "qformer:embedding_norm": "projector.qformer.layernorm",
    **{
        f"qformer:{slot}.{part}": f"{place}.{name}"
        for slot, place in (("attention", "attention"), ("cross_attention", "crossattention"))
        for part, name in (
            ("query", "attention.query"),
            ("key", "attention.key"),
            ("value", "attention.value"),
            ("output", "output.dense"),
            ("norm_residual", "output.LayerNorm"),
        )
    },
    "qformer:mlp.up": "intermediate_query.dense",
    "qformer:mlp.down": "output_query.dense",
    "qformer:feed_forward.norm_residual": "output_query.LayerNorm",
    "queries": "projector.query!",
    "projector_map": "projector.linear",
}


def architecture(c: Settings) -> Architecture:
    """The tower, the query transformer, one map, the language model; its adapters are no weights of the model."""
    kind = "granite_speech" if c.table is None else c.table.model_type
    audio = c.nested("encoder_config", class_table(f"{kind}_encoder"))
    queries = c.nested("projector_config", class_table("blip_2_qformer"))
    narrow = queries.int("hidden_size")
    count = c.int("window_size") // c.int("downsample_rate")
    projector = [
        Projection(name="queries", shape=[1, count, narrow], multiplies=False, stream="audio", component="projector"),
        Projection(name="projector_map", shape=[language_width(c), narrow], bias=True, stream="audio", component="projector"),
    ]
    if queries.flag("use_qformer_text_input"):
        queries.assume("use_qformer_text_input", True, "the text's own feed-forward networks are not counted", estimated=True)
    return audio_language(
        c, conformer(audio), projector, tied=c.flag("tie_word_embeddings"), naming="split", more=[query_transformer(queries)]
    )


def conformer(c: Settings) -> Stack:
    """Half a feed-forward network, attention with distances, a convolution, the other half, a norm; scores in the middle are fed back."""
    hidden, heads = c.int("hidden_dim"), c.int("num_heads")
    width = c.optional_int("dim_head", minimum=1) or hidden // heads
    inner, classes = hidden * c.int("conv_expansion_factor"), c.int("output_dim")
    own = Attention(query_heads=heads, kv_heads=heads, head_dim=width, packing="key_value", biases=["output"], mask=BIDIRECTIONAL)
    distances = Projection(name="distances", shape=[2 * c.int("max_pos_emb") + 1, width], multiplies=False)
    steps = [
        half(c, "ff1", hidden),
        Sublayer(name="attention", mixers=[own], norm=NORM, projections=[distances]),
        Sublayer(name="convolution", mixers=[], norm=NORM, projections=convolution(hidden, inner, c.int("conv_kernel_size"))),
        half(c, "ff2", hidden).model_copy(update={"norm_residual": NORM}),
    ]
    return Stack(
        stream="audio",
        hidden_size=hidden,
        blocks=[Block(name="conformer", layers=LayerSet.first(c.int("num_layers", minimum=0, maximum=LIMIT)), sublayers=steps)],
        projections=[
            Projection(name="input_map", shape=[hidden, c.int("input_dim")], bias=True),
            Projection(name="middle_out", shape=[classes, hidden], bias=True),
            Projection(name="middle_in", shape=[hidden, classes], bias=True),
        ],
    )


def half(c: Settings, name: str, hidden: int) -> Sublayer:
    """One of the two feed-forward networks of a layer."""
    inner = hidden * c.int("feedforward_mult")
    forward = MLP(name=name, intermediate_size=inner, activation="silu", gated=False, bias=True, output_bias=True)
    return Sublayer(name=name, mixers=[forward], norm=NORM, multiplier=0.5)


def convolution(hidden: int, inner: int, kernel: int) -> list[Projection]:
    """A gated map up, a depthwise convolution, a batch norm with its running statistics, a map down."""
    return [
        Projection(name="up", shape=[2 * inner, hidden, 1], bias=True),
        Projection(name="depth", shape=[inner, 1, kernel]),
        Projection(name="batch_norm", shape=[inner], multiplies=False, bias=True),
        Projection(name="mean", shape=[inner], multiplies=False, buffer=True),
        Projection(name="variance", shape=[inner], multiplies=False, buffer=True),
        Projection(name="batches", shape=[], multiplies=False, buffer=True, dtype="int64"),
        Projection(name="down", shape=[hidden, inner, 1], bias=True),
    ]


def query_transformer(c: Settings) -> Stack:
    """BLIP-2's post-norm layers; each `cross_attention_frequency`-th, from the first on, reads the tower."""
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), layer_norm(c)
    width, layers = quotient(c, hidden, heads), c.int("num_hidden_layers", minimum=0, maximum=LIMIT)
    own = Attention(query_heads=heads, kv_heads=heads, head_dim=width, biases=QKVO, mask=BIDIRECTIONAL)
    size = c.int("encoder_hidden_size")
    cross = CrossAttention(query_heads=heads, kv_heads=heads, head_dim=width, biases=QKVO, memory="audio", memory_size=size)
    inner = c.int("intermediate_size")
    forward = MLP(intermediate_size=inner, activation=c.text("hidden_act") or "gelu", gated=False, bias=True, output_bias=True)
    blocks = []
    for kind, held in every(layers, c.int("cross_attention_frequency"), "reading", "plain", offset=0).items():
        steps = [Sublayer(name="attention", mixers=[own], norm_residual=norm)]
        if kind == "reading":
            steps.append(Sublayer(name="cross_attention", mixers=[cross], norm_residual=norm))
        blocks.append(
            Block(name=kind, layers=held, sublayers=[*steps, Sublayer(name="feed_forward", mixers=[forward], norm_residual=norm)])
        )
    return Stack(name="qformer", stream="audio", hidden_size=hidden, blocks=blocks, embedding_norm=norm, component="projector")


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Granite Speech checkpoint."""
    return audio_rows(a, PARTS, ("encoder", "projector"))
