"""Language models with a tower for sound: the language model by its own family, the tower and the projector beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ...architecture.blocks import Projection
from ...architecture.model import Architecture, Member
from ...architecture.vocabulary import Embedding
from .decoder import dtype
from .encoder_decoder import Style, stack, table
from .head import head_kind
from .members import inner, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...architecture.blocks import Stack
    from .settings import Settings

WHISPER = Style(pre_norm=True, final_norm=True, embedding_norm=False, biases=["query", "value", "output"])
"""Whisper's encoder: no bias on the keys."""

JOINED = {"model.": "model.language_model."}
"""Names of the language model inside the whole: the head stays where it is."""

SPLIT = {"": "language_model."}
"""Names in checkpoints that keep the language model as a whole, its head with it."""

Naming = Literal["split", "joined"]


def audio_language(
    c: Settings, tower: Stack, projector: list[Projection], *, tied: bool, naming: Naming, preset: bool = False, more: Sequence[Stack] = ()
) -> Architecture:
    """The whole around its language model (`text_config`); the tower works only where there is sound.

    `tied`: whether the head is the language model's table, which the whole decides. `naming`: how checkpoints name the language model.
    `preset`: the whole's own defaults stand behind a `text_config` of the file too. `more`: further stacks beside the tower.
    """
    kind = head_kind(c, "seq2seq")
    if kind != "seq2seq":
        c.assume("architectures", c.raw("architectures", noted=False), "counted with the language model's head", estimated=True)
    settings, model_type = inner(c, "text_config", text_type(c), "causal", preset=preset, needed=False)
    text = read(settings, model_type)
    text = text.model_copy(update={"head": text.head.model_copy(update={"tied": tied})})
    member = Member(model_type=model_type, checkpoint=SPLIT if naming == "split" else JOINED, module=JOINED, architecture=text)
    return Architecture(
        embedding=text.embedding,
        stacks=[*text.stacks, tower.model_copy(update={"stream": "audio", "component": "audio"}), *more],
        head=text.head,
        maximum_positions=text.maximum_positions,
        dtype=dtype(c) or text.dtype,
        projections=projector,
        quantization=c.mapping("quantization_config"),
        members=[member],
        naming=naming,
    )


def text_type(c: Settings) -> str:
    """The type of a language model whose object names none."""
    return "" if c.table is None else c.table.sub_configs.get("text_config", "")


def language_width(c: Settings, *, preset: bool = False) -> int:
    """The hidden size of the language model, in which a projector ends."""
    settings, _ = inner(c, "text_config", text_type(c), "causal", preset=preset, needed=False)
    return settings.int("hidden_size")


def whisper_tower(audio: Settings) -> Stack:
    """Whisper's encoder, its convolutions and its table of positions with it."""
    plain = stack(audio, "encoder", audio.int("hidden_size"), WHISPER)
    positions = table(audio, WHISPER, "max_source_positions")

    return plain.model_copy(update={"embedding": Embedding(rows=0, position=positions), "projections": convolutions(audio)})


def convolutions(audio: Settings) -> list[Projection]:
    """The two convolutions of width 3 over the spectrogram, the second with a stride of two."""
    hidden = audio.int("hidden_size")
    return [
        Projection(name="conv1", shape=[hidden, audio.int("num_mel_bins"), 3], bias=True, uses=2),
        Projection(name="conv2", shape=[hidden, hidden, 3], bias=True),
    ]


def maps(sizes: list[tuple[str, int, int]], *, bias: bool = True) -> list[Projection]:
    """The projector's linear maps, (name, out, in) each."""
    return [Projection(name=name, shape=[out, into], bias=bias, stream="audio", component="projector") for name, out, into in sizes]
