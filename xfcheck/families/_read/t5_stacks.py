"""Encoder-decoders after T5: a relative bias in the attention, one table for both stacks, no biases anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...architecture.blocks import Block, Stack, Sublayer
from ...architecture.layers import LIMIT, LayerSet
from ...architecture.masks import BIDIRECTIONAL, CAUSAL
from ...architecture.mixers.attention import Attention
from ...architecture.mixers.cross_attention import CrossAttention
from ...architecture.mixers.mlp import MLP
from ...architecture.positions.biases import RelativeBias
from ...architecture.vocabulary import Embedding, Head
from .decoder import rms
from .encoder_decoder import whole
from .head import architecture_name, head_kind, labels
from .layers import crossed
from .undeclared import cached

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...architecture.model import Architecture
    from ...architecture.part import Mixer
    from ...architecture.vocabulary import HeadKind
    from .settings import Settings

    Feeds = Callable[[Settings, str, int], dict[str, LayerSet]]
    Feed = Callable[[Settings, str], Mixer]
    Mixing = Callable[[Settings, RelativeBias], Attention]

ENCODERS = ("T5EncoderModel", "MT5EncoderModel", "UMT5EncoderModel", "LongT5EncoderModel", "SwitchTransformersEncoderModel")
"""Classes of the encoder alone."""


@dataclass(frozen=True)
class Style:
    """In what the members of the lineage differ.

    `tables_everywhere`: every layer has a bias table, not the first alone. `always_tied`: nothing switches the tying off. `feeds`
    splits the layers of a stack by their kind of feed-forward network, `feed` makes one of a kind; `mixing` makes the encoder's attention.
    """

    tables_everywhere: bool = False
    always_tied: bool = True
    feeds: Feeds | None = None
    feed: Feed | None = None
    mixing: Mixing | None = None


def t5_model(c: Settings, style: Style) -> Architecture:
    """Both stacks and the head that `architectures` names, or the encoder alone (encoder and token classification classes)."""
    kind = t5_head(c)
    hidden, rows, norm = c.int("hidden_size"), c.int("vocab_size"), rms(c, "layer_norm_epsilon")
    tied = style.always_tied or c.flag("tie_word_embeddings")
    if style.always_tied and c.data.get("tie_word_embeddings") is False and kind == "seq2seq":
        why = f"read as true by transformers 5: the head of {rows:,} x {hidden:,} that the checkpoint may hold is none of its parameters"
        c.assume("tie_word_embeddings", False, why)
    layers = depths(c)
    streams = ["encoder"] if encodes_alone(c) else ["encoder", "decoder"]
    own = Embedding(rows=rows, tied=tied)
    stacks = [
        Stack(stream=s, hidden_size=hidden, blocks=blocks(c, s, layers[s], style), embedding=own, final_norm=norm) for s in streams
    ]  # fmt: skip
    return whole(c, stacks, Embedding(rows=rows, streams=streams), head(c, kind, rows, tied, streams[-1]))


def depths(c: Settings) -> dict[str, int]:
    """Layers of each stack: a decoder of null layers is as deep as the encoder, of none is empty."""
    layers = c.int("num_hidden_layers", minimum=0, maximum=LIMIT)
    later = c.optional_int("num_decoder_layers", maximum=LIMIT)
    return {"encoder": layers, "decoder": layers if later is None else later}


def encodes_alone(c: Settings) -> bool:
    """Whether the class named has no decoder."""
    named = architecture_name(c)
    kind = None if named is None or c.table is None else c.table.architectures.get(named)
    return kind == "token_classification" or named in ENCODERS


def t5_head(c: Settings) -> HeadKind:
    """The head of the class named; encoder classes have none."""
    return "none" if architecture_name(c) in ENCODERS else head_kind(c, "seq2seq")


def head(c: Settings, kind: HeadKind, rows: int, tied: bool, stream: str) -> Head:
    """The vocabulary's scores or a classifier: a dense layer before it once a sequence, none where each token is classified."""
    if kind == "seq2seq":
        return Head(kind=kind, rows=rows, tied=tied, stream=stream)
    if kind == "none":
        return Head(kind=kind, stream=stream)
    return Head(kind=kind, labels=labels(c), bias=True, pooler=kind == "sequence_classification", stream=stream)


def blocks(c: Settings, stream: str, layers: int, style: Style) -> list[Block]:
    """The first layer holds the bias table of its stack and the others reuse it, or every layer holds one."""
    first = {"first": LayerSet.first(min(layers, 1)), "later": LayerSet((range(1, layers),))}
    tables = {"first": LayerSet.first(layers)} if style.tables_everywhere else first
    feeds = {"dense": LayerSet.first(layers)} if style.feeds is None else style.feeds(c, stream, layers)
    parts = (
        crossed({name: held for name, held in tables.items() if len(held)}, {name: held for name, held in feeds.items() if len(held)})
        if layers
        else {}
    )
    return [
        Block(name=f"{place}_{feed}", layers=both, sublayers=sublayers(c, stream, style, table=place == "first", feed=feed, kept=kept))
        for (place, feed), held in parts.items()
        for kept, window in (cached(c, layers) if stream == "decoder" else {None: held}).items()
        if len(both := held.intersection(window))
    ]  # fmt: skip


def sublayers(c: Settings, stream: str, style: Style, *, table: bool, feed: str, kept: int | None = None) -> list[Sublayer]:
    """Self-attention, in the decoder cross attention without a bias, and the feed-forward network, each after its norm."""
    norm, heads, width = rms(c, "layer_norm_epsilon"), c.int("num_attention_heads"), c.int("d_kv")
    decodes = stream == "decoder"
    distance = c.optional_int("relative_attention_max_distance")
    bias = RelativeBias(buckets=c.int("relative_attention_num_buckets"), max_distance=distance, bidirectional=not decodes, table=table)
    if style.mixing is not None and not decodes:
        own = style.mixing(c, bias)
    else:
        mask = CAUSAL if decodes else BIDIRECTIONAL
        own = Attention(query_heads=heads, kv_heads=heads, head_dim=width, mask=mask, position=bias, scale=1.0, kept_tokens=kept)
    out = [Sublayer(name="attention", norm=norm, mixers=[own])]
    if decodes:
        cross = CrossAttention(query_heads=heads, kv_heads=heads, head_dim=width, scale=1.0, kept_tokens=kept)
        out.append(Sublayer(name="cross_attention", norm=norm, mixers=[cross]))
    forward = dense(c) if style.feed is None else style.feed(c, feed)
    return [*out, Sublayer(name="feed_forward", mixers=[forward], norm=norm)]


def dense(c: Settings) -> MLP:
    """Gated where `feed_forward_proj` begins with `gated`; `is_gated_act` and `dense_act_fn` of the file win over it (transformers 5)."""
    proj = c.text("feed_forward_proj") or "relu"
    gated = c.data["is_gated_act"] is True if "is_gated_act" in c.data else proj.startswith("gated")
    activation = c.text("dense_act_fn") or ("gelu_new" if proj == "gated-gelu" else proj.removeprefix("gated-"))
    return MLP(intermediate_size=c.int("d_ff"), activation=activation, gated=gated)
