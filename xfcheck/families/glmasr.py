"""GLM-ASR: a language model that hears through an encoder with rotary positions (transformers 5.24, models/glmasr)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ._classes import class_table
from ._read.audio_language import WHISPER, audio_language, convolutions, language_width, maps
from ._read.decoder import head_dim, kv_heads
from ._read.encoder_decoder import NORM
from ._read.rotary import rotary
from ._rows import audio_names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("glmasr",)

PARTS = {
    **audio_names.WHISPER,
    "attention.norm": "input_layernorm",
    "attention.output": "self_attn.o_proj",
    "feed_forward.norm": "post_attention_layernorm",
    "mlp.up": "mlp.fc1",
    "mlp.down": "mlp.fc2",
    "final_norm": "audio_tower.norm",
}


def architecture(c: Settings) -> Architecture:
    """The tower, a projector of two maps over packed frames, the language model, tied as the whole says."""
    audio = c.nested("audio_config", class_table("glmasr_encoder"))
    wide = language_width(c, preset=True)
    projector = maps([("linear_1", 2 * wide, audio.int("intermediate_size")), ("linear_2", wide, 2 * wide)])
    return audio_language(c, tower(audio), projector, tied=c.flag("tie_word_embeddings"), naming="split", preset=True)


def tower(c: Settings) -> Stack:
    """Whisper's two convolutions, then pre-norm layers; no bias on the keys."""
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    width = head_dim(c, hidden, heads)
    own = Attention(
        query_heads=heads, kv_heads=kv_heads(c, heads), head_dim=width, biases=WHISPER.biases, mask=BIDIRECTIONAL, position=rotary(c, width)
    )  # fmt: skip
    forward = MLP(
        intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "gelu", gated=False, bias=True, output_bias=True
    )  # fmt: skip
    steps = [Sublayer(name="attention", mixers=[own], norm=NORM), Sublayer(name="feed_forward", mixers=[forward], norm=NORM)]
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    return Stack(
        stream="audio",
        hidden_size=hidden,
        blocks=[Block(name="audio", layers=layers, sublayers=steps)],
        final_norm=NORM,
        projections=convolutions(c),
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GLM-ASR checkpoint."""
    return audio_names.audio_rows(a, PARTS)
