"""T5 (Raffel et al. 2019, arXiv 1910.10683)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL, CAUSAL
from ..architecture.mixers.attention import Attention, CrossAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.model import Architecture
from ..architecture.positions.biases import RelativeBias
from ..architecture.vocabulary import Embedding, Head
from ._read.decoder import dtype, rms
from ._read.head import architecture_name, head_kind
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("t5",)

NAMES = Names(
    {
        "embedding": "shared",
        "head": "lm_head",
        "encoder:layer": "encoder.block.{layer}.layer.",
        "decoder:layer": "decoder.block.{layer}.layer.",
        "encoder:final_norm": "encoder.final_layer_norm",
        "decoder:final_norm": "decoder.final_layer_norm",
        "attention.norm": "0.layer_norm",
        "attention.query": "0.SelfAttention.q",
        "attention.key": "0.SelfAttention.k",
        "attention.value": "0.SelfAttention.v",
        "attention.output": "0.SelfAttention.o",
        "attention.relative_bias": "0.SelfAttention.relative_attention_bias",
        "cross_attention.norm": "1.layer_norm",
        "cross_attention.query": "1.EncDecAttention.q",
        "cross_attention.key": "1.EncDecAttention.k",
        "cross_attention.value": "1.EncDecAttention.v",
        "cross_attention.output": "1.EncDecAttention.o",
        "encoder:feed_forward.norm": "1.layer_norm",
        "decoder:feed_forward.norm": "2.layer_norm",
        "encoder:mlp.gate": "1.DenseReluDense.wi_0",
        "encoder:mlp.up": "1.DenseReluDense.wi_1",
        "encoder:mlp.down": "1.DenseReluDense.wo",
        "decoder:mlp.gate": "2.DenseReluDense.wi_0",
        "decoder:mlp.up": "2.DenseReluDense.wi_1",
        "decoder:mlp.down": "2.DenseReluDense.wo",
    },
    base_prefix="",
)
PLAIN = NAMES.but({"encoder:mlp.up": "1.DenseReluDense.wi", "decoder:mlp.up": "2.DenseReluDense.wi"})


def architecture(c: Settings) -> Architecture:
    """Two stacks over one table; a relative bias in the first layer of each; the head is tied whatever the file says (transformers 5)."""
    hidden, norm = c.int("hidden_size"), rms(c, "layer_norm_epsilon")
    layers = depth(c)
    later = c.optional_int("num_decoder_layers", maximum=LIMIT)
    later = layers if later is None else later
    stacks = [Stack(stream="encoder", hidden_size=hidden, blocks=blocks(c, layers, decodes=False), final_norm=norm)]
    if architecture_name(c) not in ("T5EncoderModel",):
        stacks.append(Stack(stream="decoder", hidden_size=hidden, blocks=blocks(c, later, decodes=True), final_norm=norm))
    rows, kind = c.int("vocab_size"), head_kind(c, "seq2seq")
    kind = kind if len(stacks) == 2 else "none"
    return Architecture(
        embedding=Embedding(rows=rows, streams=[s.stream for s in stacks]),
        stacks=stacks,
        head=Head(kind=kind, rows=rows if kind == "seq2seq" else 0, tied=True, stream=stacks[-1].stream),
        dtype=dtype(c),
        quantization=c.mapping("quantization_config"),
    )


def blocks(c: Settings, layers: int, *, decodes: bool) -> list[Block]:
    """The first layer holds the bias table of its stack, the others reuse it."""
    norm, heads, width = rms(c, "layer_norm_epsilon"), c.int("num_attention_heads"), c.int("d_kv")
    buckets, distance = c.int("relative_attention_num_buckets"), c.optional_int("relative_attention_max_distance")
    proj = c.text("feed_forward_proj") or "relu"
    gated = c.data["is_gated_act"] is True if "is_gated_act" in c.data else proj.startswith("gated")
    activation = c.text("dense_act_fn") or ("gelu_new" if proj == "gated-gelu" else proj.removeprefix("gated-"))
    forward = MLP(intermediate_size=c.int("d_ff"), activation=activation, gated=gated)
    out = []
    for name, held, table in (("first", LayerSet.first(min(layers, 1)), True), ("later", LayerSet((range(1, layers),)), False)):
        bias = RelativeBias(buckets=buckets, max_distance=distance, bidirectional=not decodes, table=table)
        mask = CAUSAL if decodes else BIDIRECTIONAL
        sublayers = [Sublayer(name="attention", norm=norm, mixers=[Attention(query_heads=heads, kv_heads=heads, head_dim=width, mask=mask, position=bias, scale=1.0)])]
        if decodes:
            sublayers.append(Sublayer(name="cross_attention", norm=norm, mixers=[CrossAttention(query_heads=heads, kv_heads=heads, head_dim=width, scale=1.0)]))
        sublayers.append(Sublayer(name="feed_forward", mixers=[forward], norm=norm))
        if len(held):
            out.append(Block(name=name, layers=held, sublayers=sublayers))
    return out


def ledger(a: Architecture) -> list[Row]:
    """The rows of a T5 checkpoint."""
    forward = a.stacks[0].blocks[0].sublayers[-1].mixers[0] if a.stacks[0].blocks else None
    return model(a, NAMES if getattr(forward, "gated", True) else PLAIN)
