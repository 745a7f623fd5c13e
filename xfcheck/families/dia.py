"""Dia (Nari Labs 2025): characters go in, the codes of several channels of sound come out of one decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL, CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.cross_attention import CrossAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.model import Architecture
from ..architecture.vocabulary import Embedding, Head
from ._classes import class_table
from ._read.decoder import dtype, kv_heads, rms
from ._read.head import head_kind
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.masks import Mask
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("dia",)

NAMES = Names(
    {
        "encoder:stack_embedding": "model.encoder.embedding",
        "embedding": "model.decoder.embeddings.embed",
        **{f"{stream}:layer": f"model.{stream}.layers.{{layer}}." for stream in ("encoder", "decoder")},
        **{f"{stream}:final_norm": f"model.{stream}.norm" for stream in ("encoder", "decoder")},
        **{
            f"{slot}.{part}": f"{place}.{part[0]}_proj"
            for slot, place in (("attention", "self_attention"), ("cross_attention", "cross_attention"))
            for part in ("query", "key", "value", "output")
        },
        "attention.norm": "pre_sa_norm",
        "cross_attention.norm": "pre_ca_norm",
        "encoder:feed_forward.norm": "post_sa_norm",
        "decoder:feed_forward.norm": "pre_mlp_norm",
        "mlp.gate_up": "mlp.gate_up_proj",
        "mlp.down": "mlp.down_proj",
        "head": "logits_dense",
    }
)


def architecture(c: Settings) -> Architecture:
    """The table and the head of the decoder have the codes of all channels one below the other; nothing is tied."""
    kind = head_kind(c, "seq2seq")
    reads, writes = c.nested("encoder_config", class_table("dia_encoder")), c.nested("decoder_config", class_table("dia_decoder"))
    codes = writes.int("vocab_size") * writes.int("num_channels")
    encoder = stack(reads, "encoder", [step(reads, "attention", own(reads, BIDIRECTIONAL)), forward(reads)])
    steps = [step(writes, "attention", own(writes, CAUSAL)), step(writes, "cross_attention", cross(writes)), forward(writes)]
    return Architecture(
        embedding=Embedding(rows=codes, streams=["decoder"]),
        stacks=[
            encoder.model_copy(update={"embedding": Embedding(rows=reads.int("vocab_size"))}),
            stack(writes, "decoder", steps),
        ],
        head=Head(kind=kind, rows=codes if kind == "seq2seq" else 0, stream="decoder"),
        maximum_positions=writes.optional_int("max_position_embeddings"),
        dtype=dtype(c),
    )


def stack(c: Settings, stream: str, steps: list[Sublayer]) -> Stack:
    """One stack, all layers alike."""
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    block = Block(name=stream, layers=layers, sublayers=steps)
    return Stack(stream=stream, hidden_size=c.int("hidden_size"), blocks=[block], final_norm=rms(c, "norm_eps"))


def step(c: Settings, name: str, mixer: Attention | MLP) -> Sublayer:
    """A residual step behind its norm."""
    return Sublayer(name=name, mixers=[mixer], norm=rms(c, "norm_eps"))


def forward(c: Settings) -> Sublayer:
    """The gated network of a layer."""
    mixer = MLP(intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "silu", packing="gate_up")
    return step(c, "feed_forward", mixer)


def own(c: Settings, mask: Mask) -> Attention:
    """Attention whose scores are not scaled."""
    heads, width = c.int("num_attention_heads"), c.int("head_dim")
    return Attention(
        query_heads=heads, kv_heads=kv_heads(c, heads), head_dim=width, mask=mask, position=rotary(c, width), scale=1.0
    )  # fmt: skip


def cross(c: Settings) -> CrossAttention:
    """Attention to the characters, whose vectors have a width of their own."""
    heads, width = c.int("cross_num_attention_heads"), c.int("cross_head_dim")
    count = kv_heads(c, heads, "cross_num_key_value_heads")
    return CrossAttention(query_heads=heads, kv_heads=count, head_dim=width, memory_size=c.int("cross_hidden_size"), scale=1.0)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
