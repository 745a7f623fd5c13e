"""Voxtral Realtime: a language model that hears as it speaks, its layers tuned to a delay (transformers 5.24, models/voxtral_realtime)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import Mask
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ._classes import class_table
from ._read.audio_language import WHISPER, audio_language, convolutions, language_width, maps
from ._read.decoder import attention, causal_model, gated, head_dim, rms
from ._read.layers import depth
from ._read.rotary import rotary
from ._rows import audio_names
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("voxtral_realtime", "voxtral_realtime_text")

CONDITION = 32
"""Width of the map from the delay to a scale of the hidden state (modeling_voxtral_realtime.py, VoxtralRealtimeTextAdaRmsNorm)."""

TEXT = LLAMA.but({"feed_forward.delay_in": "ada_rms_norm.linear1", "feed_forward.delay_out": "ada_rms_norm.linear2"})

PARTS = {
    **audio_names.WHISPER,
    "attention.output": "self_attn.o_proj",
    "mlp.gate": "mlp.gate_proj",
    "mlp.up": "mlp.up_proj",
    "mlp.down": "mlp.down_proj",
    "final_norm": "audio_tower.norm",
    "conv1": "audio_tower.embedder.conv1",
    "conv2": "audio_tower.embedder.conv2",
}


def architecture(c: Settings) -> Architecture:
    """The whole, or its language model alone."""
    if c.table is not None and c.table.model_type == "voxtral_realtime_text":
        return language_model(c)
    audio = c.nested("audio_config", class_table("voxtral_realtime_encoder"))
    wide = language_width(c, preset=True)
    projector = maps([("linear_1", wide, audio.int("hidden_size") * c.int("downsample_factor")), ("linear_2", wide, wide)], bias=False)
    return audio_language(c, tower(audio), projector, tied=c.flag("tie_word_embeddings"), naming="split", preset=True)


def language_model(c: Settings) -> Architecture:
    """Sliding layers; the delay's scale is made once a pass in each layer."""
    hidden, norm = c.int("hidden_size"), rms(c)
    window = c.optional_int("sliding_window", minimum=1)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    own = attention(
        c, hidden, mask=Mask() if window is None else Mask(kind="sliding", window=window), position=rotary(c, width), width=width
    )
    delay = [
        Projection(name="delay_in", shape=[CONDITION, hidden], stream="pooled"),
        Projection(name="delay_out", shape=[hidden, CONDITION], stream="pooled"),
    ]
    steps = [
        Sublayer(name="attention", mixers=[own], norm=norm),
        Sublayer(name="feed_forward", mixers=[gated(c)], norm=norm, projections=delay),
    ]
    return causal_model(
        c, Stack(hidden_size=hidden, blocks=[Block(name="decoder", layers=LayerSet.first(depth(c)), sublayers=steps)], final_norm=norm)
    )


def tower(c: Settings) -> Stack:
    """Two causal convolutions, then windowed pre-norm layers with a gated feed-forward network; no bias on the keys."""
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), rms(c)
    width = head_dim(c, hidden, heads)
    own = Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=width,
        biases=WHISPER.biases,
        mask=Mask(kind="sliding", window=c.int("sliding_window")),
        position=rotary(c, width),
    )
    forward = MLP(intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "silu", gated=True, output_bias=True)
    steps = [Sublayer(name="attention", mixers=[own], norm=norm), Sublayer(name="feed_forward", mixers=[forward], norm=norm)]
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    return Stack(
        stream="audio",
        hidden_size=hidden,
        blocks=[Block(name="audio", layers=layers, sublayers=steps)],
        final_norm=norm,
        projections=convolutions(c),
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of the whole, or of the language model alone."""
    return audio_names.audio_rows(a, PARTS) if a.members else model(a, TEXT)
