"""BERT (Devlin et al. 2018, arXiv 1810.04805)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import BIDIRECTIONAL, CAUSAL
from ..architecture.mixers.attention import Attention, CrossAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.model import Architecture
from ..architecture.positions.tables import Learned
from ..architecture.vocabulary import Embedding, Head
from ._read.decoder import QKVO, dtype, layer_norm, maximum_positions, quotient
from ._read.head import CLASSIFIERS, head_kind, labels
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.vocabulary import HeadKind
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("bert",)

NAMES = Names(
    {
        "embedding": "bert.embeddings.word_embeddings",
        "positions": "bert.embeddings.position_embeddings",
        "types": "bert.embeddings.token_type_embeddings",
        "embedding_norm": "bert.embeddings.LayerNorm",
        "layer": "bert.encoder.layer.{layer}.",
        "attention.query": "attention.self.query",
        "attention.key": "attention.self.key",
        "attention.value": "attention.self.value",
        "attention.output": "attention.output.dense",
        "attention.norm_residual": "attention.output.LayerNorm",
        "cross_attention.query": "crossattention.self.query",
        "cross_attention.key": "crossattention.self.key",
        "cross_attention.value": "crossattention.self.value",
        "cross_attention.output": "crossattention.output.dense",
        "cross_attention.norm_residual": "crossattention.output.LayerNorm",
        "mlp.up": "intermediate.dense",
        "mlp.down": "output.dense",
        "feed_forward.norm_residual": "output.LayerNorm",
        "pooler": "bert.pooler.dense",
        "transform": "cls.predictions.transform.dense",
        "transform_norm": "cls.predictions.transform.LayerNorm",
        "head": "cls.predictions.decoder",
        "head_bias": "cls.predictions",
        "next_sentence": "cls.seq_relationship",
        "classifier": "classifier",
        "question_answering:classifier": "qa_outputs",
    },
    base_prefix="bert.",
)

POOLED: tuple[HeadKind, ...] = ("none", "pretraining", "next_sentence", "sequence_classification", "multiple_choice")
"""Heads whose class keeps the pooler."""


def architecture(c: Settings) -> Architecture:
    """Post-norm encoder; `is_decoder` makes it causal with a cache, `add_cross_attention` adds a memory that no encoder here fills."""
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), layer_norm(c)
    width, decodes = quotient(c, hidden, heads), c.flag("is_decoder")
    attention = Attention(
        query_heads=heads, kv_heads=heads, head_dim=width, biases=QKVO, mask=CAUSAL if decodes else BIDIRECTIONAL, dropout=c.number("attention_probs_dropout_prob") or 0.0
    )
    sublayers = [Sublayer(name="attention", mixers=[attention], norm_residual=norm)]
    if decodes and c.flag("add_cross_attention"):
        cross = CrossAttention(query_heads=heads, kv_heads=heads, head_dim=width, biases=QKVO, memory="absent")
        sublayers.append(Sublayer(name="cross_attention", mixers=[cross], norm_residual=norm))
    forward = MLP(intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "gelu", gated=False, bias=True, output_bias=True)
    sublayers.append(Sublayer(name="feed_forward", mixers=[forward], norm_residual=norm))
    stack = Stack(hidden_size=hidden, blocks=[Block(name="encoder", layers=LayerSet.first(depth(c)), sublayers=sublayers)], embedding_norm=norm)
    return encoder_model(c, stack, pooled=POOLED)


def encoder_model(c: Settings, stack: Stack, *, pooled: tuple[HeadKind, ...], default: HeadKind = "masked", position: Learned | None = None) -> Architecture:
    """An encoder around its stack: three tables, and the head that `architectures` names."""
    rows, kind = c.int("vocab_size"), head_kind(c, default)
    words = kind in ("masked", "causal", "pretraining")
    count = 2 if kind in ("pretraining", "next_sentence", "question_answering") else 1 if kind == "multiple_choice" else labels(c) if kind in CLASSIFIERS else 0
    return Architecture(
        embedding=Embedding(rows=rows, types=c.int("type_vocab_size", minimum=0), position=position or Learned(rows=c.int("max_position_embeddings"))),
        stacks=[stack],
        head=Head(
            kind=kind, rows=rows if words else 0, tied=c.flag("tie_word_embeddings"), bias=words or count > 0, transform=words,
            transform_norm=layer_norm(c) if words else None, pooler=kind in pooled, labels=count,
        ),
        maximum_positions=maximum_positions(c),
        dtype=dtype(c),
        quantization=c.mapping("quantization_config"),
    )  # fmt: skip


def ledger(a: Architecture) -> list[Row]:
    """The rows of a BERT checkpoint."""
    return model(a, NAMES)
