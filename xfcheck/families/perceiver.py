"""Perceiver IO over text (Jaegle et al. 2021, arXiv 2107.14795): latents read the input, and queries read the latents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Padding, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.stream_attention import StreamAttention
from ..architecture.model import Architecture
from ..architecture.norm import Norm
from ..architecture.vocabulary import Embedding, Head
from ._read.decoder import dtype, maximum_positions
from ._read.encoder import learned
from ._read.head import head_kind, labels
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("perceiver",)

LATENTS, ANSWERS = "latents", "answers"
NORM = Norm(kind="layer", eps=1e-5, bias=True)
NAMES = Names(
    {
        "embedding": "perceiver.input_preprocessor.embeddings",
        "positions": "perceiver.input_preprocessor.position_embeddings",
        "latents": "perceiver.embeddings.latents!",
        "queries": "perceiver.decoder.output_position_encodings.position_embeddings!",
        "reading:layer": "perceiver.encoder.cross_attention.",
        "processing:layer": "perceiver.encoder.self_attends.{layer}.",
        "answering:layer": "perceiver.decoder.decoding_cross_attention.",
        "attention.norm": "attention.self.layernorm1",
        "stream_attention.keys_norm": "attention.self.layernorm2",
        "stream_attention.query": "attention.self.query",
        "stream_attention.key": "attention.self.key",
        "stream_attention.value": "attention.self.value",
        "stream_attention.output": "attention.output.dense",
        "feed_forward.norm": "layernorm",
        "mlp.up": "mlp.dense1",
        "mlp.down": "mlp.dense2",
        "head": "embedding_decoder.decoder",
        "head_bias": "embedding_decoder",
        "classifier": "perceiver.decoder.decoder.final_layer",
    },
    base_prefix="perceiver.",
)
CLASSIFIER_NAMES = NAMES.but(
    {
        "queries": "perceiver.decoder.decoder.output_position_encodings.position_embeddings!",
        "answering:layer": "perceiver.decoder.decoder.decoding_cross_attention.",
    }
)


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: width and heads of its queries, channels of scores and of values, and how much wider the feed-forward is."""

    width: int
    heads: int
    scores: int
    values: int
    widening: int


def architecture(c: Settings) -> Architecture:
    """Masked models ask one query a position, whatever the length of the input; classifiers ask one. The bare model has neither table."""
    inner, kind = c.int("d_latents"), head_kind(c, "masked")
    stacks = [_reading(c, inner), _processing(c, inner)]
    embedding, head, pieces = None, Head(kind="none"), []
    if kind in ("masked", "sequence_classification"):
        rows, width = c.int("vocab_size"), c.int("d_model")
        embedding = Embedding(rows=rows, width=width, position=learned(c))
        if kind == "masked":
            head = Head(kind=kind, rows=rows, tied=True, bias=True, width=width, stream=ANSWERS)
            queries, layer = c.int("max_position_embeddings"), Layer(width, 8, 256, width, 1)
        else:
            head = Head(kind=kind, labels=labels(c), bias=True, per_sequence=True, stream=ANSWERS)
            queries, layer = 1, Layer(inner, 1, inner, inner, 1)
        pieces.append(Projection(name="queries", shape=[queries, layer.width], multiplies=False, component="position_embedding"))
        answering = Block(name="answering", layers=LayerSet.first(1), sublayers=_steps(c, layer, LATENTS, inner))
        stacks.append(Stack(name="answering", stream=ANSWERS, hidden_size=layer.width, blocks=[answering], padding=Padding(fixed=queries)))
    elif kind != "none":
        raise c.refuse("architectures", f"Perceiver classes of kind {kind} are not described", code="XF119")
    pieces.append(Projection(name="latents", shape=[c.int("num_latents"), inner], multiplies=False))
    return Architecture(
        embedding=embedding,
        stacks=stacks,
        head=head,
        projections=pieces,
        maximum_positions=maximum_positions(c),
        dtype=dtype(c),
        quantization=c.mapping("quantization_config"),
    )


def _channels(c: Settings, default: int) -> tuple[int, int]:
    """Channels of scores and of values."""
    scores = c.optional_int("qk_channels", minimum=1) or default
    return scores, c.optional_int("v_channels", minimum=1) or scores


def _reading(c: Settings, inner: int) -> Stack:
    """The latents read the input once; `cross_attention_shape_for_attention` says whose width the scores have."""
    width, shape = c.int("d_model"), c.text("cross_attention_shape_for_attention") or "kv"
    if shape not in ("q", "kv"):
        raise c.refuse("cross_attention_shape_for_attention", f"it is {shape!r}", code="XF118", help="q or kv")
    scores, values = _channels(c, inner if shape == "q" else width)
    layer = Layer(inner, c.int("num_cross_attention_heads"), scores, values, c.int("cross_attention_widening_factor"))
    block = Block(name="reading", layers=LayerSet.first(1), sublayers=_steps(c, layer, "text", width))
    return Stack(name="reading", stream=LATENTS, hidden_size=inner, blocks=[block], padding=Padding(fixed=c.int("num_latents")))


def _processing(c: Settings, inner: int) -> Stack:
    """Layers over the latents, the whole block of them applied `num_blocks` times."""
    scores, values = _channels(c, inner)
    layer = Layer(inner, c.int("num_self_attention_heads"), scores, values, c.int("self_attention_widening_factor"))
    layers = LayerSet.first(c.int("num_self_attends_per_block", minimum=0, maximum=1_000_000))
    block = Block(name="processing", layers=layers, sublayers=_steps(c, layer), uses=c.int("num_blocks", maximum=1_000_000))
    return Stack(name="processing", stream=LATENTS, hidden_size=inner, blocks=[block], padding=Padding(fixed=c.int("num_latents")))


def _steps(c: Settings, layer: Layer, keys_stream: str | None = None, keys_size: int | None = None) -> list[Sublayer]:
    """Raises Refused XF102 where heads do not divide the channels."""
    if layer.scores % layer.heads or layer.values % layer.heads:
        raise c.refuse("d_latents", f"{layer.heads} heads do not divide {layer.scores} and {layer.values} channels", code="XF102")
    mixer = StreamAttention(
        query_heads=layer.heads,
        kv_heads=layer.heads,
        head_dim=layer.scores // layer.heads,
        value_dim=layer.values // layer.heads,
        mask=BIDIRECTIONAL,
        keys_stream=keys_stream,
        keys_size=keys_size,
        keys_norm=NORM if keys_stream is not None else None,
        output_size=layer.values if keys_stream is None else None,
        dropout=c.number("attention_probs_dropout_prob") or 0.0,
    )
    activation = c.text("hidden_act") or "gelu"
    forward = MLP(intermediate_size=layer.widening * layer.width, activation=activation, gated=False, bias=True, output_bias=True)
    return [Sublayer(name="attention", mixers=[mixer], norm=NORM), Sublayer(name="feed_forward", mixers=[forward], norm=NORM)]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Perceiver checkpoint."""
    return model(a, CLASSIFIER_NAMES if a.head.labels else NAMES)
