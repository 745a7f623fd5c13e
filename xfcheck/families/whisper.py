"""Whisper (Radford et al. 2022, arXiv 2212.04356): two convolutions over 30 seconds of spectrogram, then an encoder-decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.positions.tables import Learned
from ..architecture.vocabulary import Embedding
from ._read.decoder import maximum_positions
from ._read.encoder_decoder import Style, stack, table, whole, word_head
from ._read.head import head_kind
from ._rows.bart_names import BART, bart_rows

if TYPE_CHECKING:
    from ..architecture.blocks import Stack
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("whisper",)

STYLE = Style(pre_norm=True, final_norm=True, embedding_norm=False, biases=["query", "value", "output"])

KERNEL = 3
"""Width of both convolutions; the second has a stride of two (modeling_whisper.py, WhisperEncoder)."""

NAMES = BART.but(
    {"embedding": "model.decoder.embed_tokens", "head": "proj_out", "conv1": "model.encoder.conv1", "conv2": "model.encoder.conv2"}
)


def architecture(c: Settings) -> Architecture:
    """Pre-norm, no bias on the keys; the encoder's positions are a table that is not trained, the decoder's one that is.

    The encoder sees `max_source_positions` vectors whatever the length of the sound.
    """
    kind = head_kind(c, "seq2seq")
    hidden, rows, tied = c.int("hidden_size"), c.int("vocab_size"), c.flag("tie_word_embeddings")
    stacks = [stack(c, "decoder", hidden, STYLE, memory=kind != "causal")]
    if kind != "causal":
        stacks.insert(0, encoder(c, hidden))
    embedding = Embedding(rows=rows, position=table(c, STYLE, "max_target_positions"), streams=["decoder"])
    a = whole(c, stacks, embedding, word_head(c, kind, rows, tied, STYLE))
    return a.model_copy(update={"maximum_positions": maximum_positions(c, "max_target_positions")})


def encoder(c: Settings, hidden: int) -> Stack:
    """The encoder behind its convolutions, `[d, mel bins, 3]` and `[d, d, 3]`; the first makes two vectors for each of the encoder's."""
    length = c.int("max_source_positions")
    convolutions = [
        Projection(name="conv1", shape=[hidden, c.int("num_mel_bins"), KERNEL], bias=True, component="convolution", uses=2),
        Projection(name="conv2", shape=[hidden, hidden, KERNEL], bias=True, component="convolution"),
    ]
    plain = stack(c, "encoder", hidden, STYLE)
    return plain.model_copy(
        update={"embedding": Embedding(rows=0, position=Learned(rows=length)), "fixed_length": length, "projections": convolutions}
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Whisper checkpoint."""
    return bart_rows(a, NAMES)
