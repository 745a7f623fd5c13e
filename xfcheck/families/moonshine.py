"""Moonshine (Jeffries et al. 2024, arXiv 2410.15608): three convolutions over the waveform itself, then a rotary encoder-decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL, CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.cross_attention import CrossAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ..architecture.vocabulary import Embedding, Head
from ._read.decoder import QKV, head_dim, kv_heads
from ._read.encoder_decoder import whole
from ._read.head import head_kind
from ._read.plain import plain
from ._read.rotary import rotary
from ._rows.bart_names import BART
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("moonshine",)

NORM = Norm(kind="layer", eps=1e-5)
"""torch's LayerNorm without its bias."""

NAMES = BART.but(
    {
        "embedding": "model.decoder.embed_tokens",
        "head": "proj_out",
        **{name: f"model.encoder.{name}" for name in ("conv1", "conv2", "conv3", "groupnorm")},
        "decoder:final_norm": "model.decoder.norm",
        "attention.norm": "input_layernorm",
        "attention.output": "self_attn.o_proj",
        "cross_attention.norm": "post_attention_layernorm",
        "cross_attention.output": "encoder_attn.o_proj",
        "encoder:feed_forward.norm": "post_attention_layernorm",
        "decoder:feed_forward.norm": "final_layernorm",
        "mlp.up": "mlp.fc1",
        "mlp.gate_up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
    }
)


def architecture(c: Settings) -> Architecture:
    """Every attention has the encoder's heads: its layers write theirs into the config before the decoder's read it (transformers 5.24).

    One vector leaves the convolutions for every 384 samples of sound.
    """
    kind = head_kind(c, "seq2seq")
    hidden, rows = c.int("hidden_size"), c.int("vocab_size")
    head = Head(kind=kind, rows=rows if kind == "seq2seq" else 0, tied=c.flag("tie_word_embeddings"), stream="decoder")
    return whole(c, [encoder(c, hidden), decoder(c, hidden)], Embedding(rows=rows, streams=["decoder"]), head)


def encoder(c: Settings, hidden: int) -> Stack:
    """The convolutions, a norm over all channels after the first of them, plain layers."""
    forward = plain(c.int("intermediate_size"), c.text("encoder_hidden_act") or "gelu")
    own = Attention(**heads(c, hidden), position=rotary(c, heads(c, hidden)["head_dim"], partial=0.9), mask=BIDIRECTIONAL)
    steps = [Sublayer(name="attention", mixers=[own], norm=NORM), Sublayer(name="feed_forward", mixers=[forward], norm=NORM)]
    convolutions = [
        Projection(name="conv1", shape=[hidden, 1, 127], component="convolution", uses=6),
        Projection(name="groupnorm", shape=[hidden], multiplies=False, bias=True, component="norm"),
        Projection(name="conv2", shape=[2 * hidden, hidden, 7], bias=True, component="convolution", uses=2),
        Projection(name="conv3", shape=[hidden, 2 * hidden, 3], bias=True, component="convolution"),
    ]
    return stack(c, "encoder", hidden, steps).model_copy(update={"projections": convolutions})


def decoder(c: Settings, hidden: int) -> Stack:
    """A gated network, whose up half lies before the gate."""
    width = heads(c, hidden)["head_dim"]
    own = Attention(**heads(c, hidden), position=rotary(c, width, partial=0.9), mask=CAUSAL)
    forward = MLP(
        intermediate_size=c.int("intermediate_size"),
        activation=c.text("decoder_hidden_act") or "silu",
        bias=True,
        output_bias=True,
        packing="gate_up",
    )
    steps = [
        Sublayer(name="attention", mixers=[own], norm=NORM),
        Sublayer(name="cross_attention", mixers=[CrossAttention(**heads(c, hidden))], norm=NORM),
        Sublayer(name="feed_forward", mixers=[forward], norm=NORM),
    ]
    return stack(c, "decoder", hidden, steps)


def heads(c: Settings, hidden: int) -> dict[str, Any]:
    """Heads of every attention; its output never has a bias."""
    count = c.int("encoder_num_attention_heads")
    return {
        "query_heads": count,
        "kv_heads": kv_heads(c, count, "encoder_num_key_value_heads"),
        "head_dim": head_dim(c, hidden, count),
        "biases": QKV if c.flag("attention_bias") else [],
    }


def stack(c: Settings, stream: str, hidden: int, steps: list[Sublayer]) -> Stack:
    """One stack, all layers alike."""
    layers = LayerSet.first(c.int(f"{stream}_num_hidden_layers", minimum=0, maximum=LIMIT))
    return Stack(stream=stream, hidden_size=hidden, blocks=[Block(name=stream, layers=layers, sublayers=steps)], final_norm=NORM)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
