"""Qwen3-ASR: Qwen3 that hears through an encoder behind three two-dimensional convolutions (transformers 5.24, models/qwen3_asr)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._classes import class_table
from ._read.audio_language import audio_language, maps
from ._read.decoder import QKVO
from ._read.encoder_decoder import Style, stack
from ._rows import audio_names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen3_asr",)

STYLE = Style(pre_norm=True, final_norm=True, embedding_norm=False, biases=list(QKVO))

PARTS = {
    **audio_names.WHISPER,
    "final_norm": "audio_tower.ln_post",
    "conv2d1": "audio_tower.conv2d1",
    "conv2d2": "audio_tower.conv2d2",
    "conv2d3": "audio_tower.conv2d3",
    "conv_out": "audio_tower.conv_out",
}


def architecture(c: Settings) -> Architecture:
    """The tower with computed positions, a projector that ends in the tower's own `output_dim`, the language model."""
    audio = c.nested("audio_config", class_table("qwen3_asr_encoder"))
    hidden, channels = audio.int("hidden_size"), audio.int("downsample_hidden_size")
    bins = audio.int("num_mel_bins")
    for _ in range(3):
        bins = (bins + 1) // 2
    convolutions = [
        Projection(name="conv2d1", shape=[channels, 1, 3, 3], bias=True),
        Projection(name="conv2d2", shape=[channels, channels, 3, 3], bias=True),
        Projection(name="conv2d3", shape=[channels, channels, 3, 3], bias=True),
        Projection(name="conv_out", shape=[hidden, channels * bins]),
    ]
    tower = stack(audio, "encoder", hidden, STYLE).model_copy(update={"projections": convolutions})
    projector = maps([("linear_1", hidden, hidden), ("linear_2", audio.int("output_dim"), hidden)])
    return audio_language(c, tower, projector, tied=c.flag("tie_word_embeddings"), naming="joined")


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Qwen3-ASR checkpoint."""
    return audio_names.audio_rows(a, PARTS)
