"""Encoder-decoders after BART: two stacks of one width over shared tables, or the decoder alone as a causal model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ...architecture.blocks import Block, Projection, Stack, Sublayer
from ...architecture.layers import LIMIT, LayerSet
from ...architecture.masks import BIDIRECTIONAL, CAUSAL, Mask
from ...architecture.mixers.attention import Attention
from ...architecture.mixers.cross_attention import CrossAttention
from ...architecture.mixers.mlp import MLP
from ...architecture.model import Architecture
from ...architecture.norm import Norm
from ...architecture.positions.tables import Learned, Sinusoidal
from ...architecture.vocabulary import Embedding, Head
from .decoder import QKVO, dtype, maximum_positions, quotient
from .head import head_kind, labels
from .undeclared import cached

if TYPE_CHECKING:
    from ...architecture.vocabulary import HeadKind
    from .decoder import Biased
    from .settings import Settings

NORM = Norm(kind="layer", eps=1e-5, bias=True)
"""torch's LayerNorm with its own epsilon: these classes have no key for it."""


@dataclass(frozen=True)
class Style:
    """In what the members of the lineage differ.

    `pre_norm`: the norms come before the sublayers (then `final_norm` closes a stack), else after the sums. `embedding_norm` follows the
    tables. `positions`: learned, or sinusoidal in one of the ways of `Sinusoidal.stored`; `offset` rows before the first position.
    `logits_bias`: a buffer is added to the scores. `prefix` begins the keys of depth and heads. `memory_size`: the
    width of what the cross attention reads, where it is not the model's. `default_labels`: rows of a classifier where the file is silent.
    """

    pre_norm: bool = False
    final_norm: bool = False
    embedding_norm: bool = True
    positions: Literal["learned", "parameter", "unsaved_parameter", "none"] = "learned"
    offset: int = 0
    logits_bias: bool = True
    biases: list[Biased] = field(default_factory=lambda: list(QKVO))
    default_labels: int = 2
    prefix: str = ""
    memory_size: int | None = None


def encoder_decoder(c: Settings, style: Style) -> Architecture:
    """The whole model, or the decoder alone where a causal class is named.

    Untied, each stack has a table of its own and the shared one is read by none.
    """
    kind = head_kind(c, "seq2seq")
    hidden, rows, tied = c.int("hidden_size"), c.int("vocab_size"), c.flag("tie_word_embeddings")
    position = table(c, style)
    if kind == "causal":
        only = stack(c, "decoder", hidden, style, memory=False)
        return whole(c, [only], Embedding(rows=rows, position=position, streams=["decoder"]), word_head(c, kind, rows, tied, style))
    own = Embedding(rows=rows, position=position, tied=tied)
    stacks = [stack(c, stream, hidden, style).model_copy(update={"embedding": own}) for stream in ("encoder", "decoder")]
    projections = [logits_bias(rows)] if style.logits_bias and kind == "seq2seq" else []
    return whole(c, stacks, Embedding(rows=rows, streams=["encoder", "decoder"]), word_head(c, kind, rows, tied, style), projections)


def whole(
    c: Settings, stacks: list[Stack], embedding: Embedding | None, head: Head, projections: list[Projection] | None = None
) -> Architecture:
    """The architecture around its stacks, with what the file says of dtype and length."""
    return Architecture(
        embedding=embedding, stacks=stacks, head=head, projections=projections or [], maximum_positions=maximum_positions(c),
        dtype=dtype(c), quantization=c.mapping("quantization_config"),
    )  # fmt: skip


def word_head(c: Settings, kind: HeadKind, rows: int, tied: bool, style: Style) -> Head:
    """The vocabulary's scores, a dense layer and a classifier once a sequence, or two scores a token."""
    if kind in ("seq2seq", "causal"):
        return Head(kind=kind, rows=rows, tied=tied, stream="decoder")
    if kind == "question_answering":
        return Head(kind=kind, labels=2, bias=True, stream="decoder")
    if kind == "sequence_classification":
        return Head(kind=kind, labels=labels(c, style.default_labels), bias=True, pooler=True, stream="decoder")
    return Head(kind="none", stream="decoder")


def logits_bias(rows: int) -> Projection:
    """A buffer added to the scores, `[1, rows]`."""
    return Projection(name="logits_bias", shape=[1, rows], multiplies=False, buffer=True, component="head")


def table(c: Settings, style: Style, key: str = "max_position_embeddings") -> Learned | Sinusoidal:
    """The positions of one stack."""
    rows = c.int(key) + style.offset
    if style.positions == "learned":
        return Learned(rows=rows, offset=style.offset)
    return Sinusoidal(rows=rows, offset=style.offset, stored=style.positions)


def stack(c: Settings, stream: str, hidden: int, style: Style, *, memory: bool = True, mask: Mask | None = None) -> Stack:
    """One stack from the keys that begin with its name. `memory`: whether an encoder fills the cross attention of a decoder."""
    layers = c.int(f"{style.prefix}{stream}_layers", minimum=0, maximum=LIMIT)
    parts = cached(c, layers) if stream == "decoder" else {None: LayerSet.first(layers)}
    return Stack(
        stream=stream,
        hidden_size=hidden,
        blocks=[
            Block(name=stream, layers=held, sublayers=sublayers(c, stream, hidden, style, memory=memory, mask=mask, kept=kept))
            for kept, held in parts.items()
        ],
        embedding_norm=NORM if style.embedding_norm else None,
        final_norm=NORM if style.final_norm else None,
    )


def sublayers(
    c: Settings, stream: str, hidden: int, style: Style, *, memory: bool = True, mask: Mask | None = None, kept: int | None = None
) -> list[Sublayer]:
    """Self-attention, in the decoder cross attention, and the feed-forward network. `kept`: the window that the caches of both obey."""
    heads = c.int(f"{style.prefix}{stream}_attention_heads")
    width = quotient(c, hidden, heads)
    decodes = stream == "decoder"
    seen = mask or (CAUSAL if decodes else BIDIRECTIONAL)
    dropped = c.number("attention_dropout") or 0.0
    own = Attention(query_heads=heads, kv_heads=heads, head_dim=width, biases=style.biases, mask=seen, dropout=dropped, kept_tokens=kept)
    out = [step("attention", own, style)]
    if decodes:
        source: Literal["encoder", "absent"] = "encoder" if memory else "absent"
        cross = CrossAttention(
            query_heads=heads, kv_heads=heads, head_dim=width, biases=style.biases, memory=source, memory_size=style.memory_size,
            dropout=dropped, kept_tokens=kept,
        )  # fmt: skip
        out.append(step("cross_attention", cross, style))
    return [*out, step("feed_forward", feed_forward(c, stream), style)]


def feed_forward(c: Settings, stream: str) -> MLP:
    """Two biased maps around the activation."""
    return MLP(
        intermediate_size=c.int(f"{stream}_ffn_dim"), activation=c.text("activation_function") or "gelu", gated=False, bias=True,
        output_bias=True,
    )  # fmt: skip


def step(name: str, mixer: Attention | MLP, style: Style) -> Sublayer:
    """One residual step, its norm before or after."""
    return Sublayer(name=name, mixers=[mixer], norm=NORM) if style.pre_norm else Sublayer(name=name, mixers=[mixer], norm_residual=NORM)
