"""Language models that hear through Whisper's encoder: Qwen2-Audio, Audio Flamingo 3, Music Flamingo, Voxtral, MOSS-Transcribe-Diarize."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._classes import class_table
from ._read.audio_language import audio_language, language_width, maps, whisper_tower
from ._rows.audio_names import audio_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen2_audio", "audioflamingo3", "musicflamingo", "voxtral", "moss_transcribe_diarize")


def architecture(c: Settings) -> Architecture:
    """Whisper's encoder, a projector of one or two maps, the language model."""
    kind = "" if c.table is None else c.table.model_type
    audio = c.nested("audio_config", None if c.table is None else class_table(c.table.sub_configs["audio_config"]))
    wide, narrow = language_width(c, preset=kind == "voxtral"), audio.int("hidden_size")
    tower = whisper_tower(audio)
    if kind == "moss_transcribe_diarize":
        packed = narrow * c.int("audio_merge_size")
        projector = maps([("linear_1", wide, packed), ("linear_2", wide, wide)], bias=c.flag("projector_bias"))
        projector.append(Projection(name="norm", shape=[wide], multiplies=False, bias=True, stream="audio", component="projector"))
        return audio_language(c, tower, projector, tied=c.flag("tie_word_embeddings"), naming="joined")
    if kind == "qwen2_audio":
        projector = maps([("linear", wide, narrow)])
    elif kind == "voxtral":
        projector = maps([("linear_1", wide, audio.int("intermediate_size")), ("linear_2", wide, wide)], bias=False)
    else:
        projector = maps([("linear_1", wide, narrow), ("linear_2", wide, wide)], bias=c.flag("projector_bias"))
    return audio_language(c, tower, projector, tied=False, naming="split", preset=kind == "voxtral")


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return audio_rows(a)
