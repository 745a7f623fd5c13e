"""Vocabulary, embedding and head: chapter question 6."""

from typing import Literal

from .mixers.attention import Position
from .norm import Norm
from .part import Part


class Embedding(Part):
    """The table of token vectors and what is added to them.

    `rows` is V (padded rows included), `width` the table's where it is not the hidden size (ALBERT, OPT-350m; `projection` then maps
    it). `types` rows of token types. `multiplier` scales the vectors. `positions`: a table added to them. `streams`: the stacks that
    read this table (T5's encoder and decoder read one). `tied`, of a stack's table: it is the model's own table under another name.
    """

    rows: int
    width: int | None = None
    projection: bool = False
    projection_bias: bool = False
    types: int = 0
    multiplier: float = 1.0
    position: Position | None = None
    streams: list[str] = ["text"]
    tied: bool = False


HeadKind = Literal[
    "causal", "masked", "seq2seq", "none", "sequence_classification", "token_classification", "question_answering", "multiple_choice",
    "next_sentence", "pretraining", "other",
]  # fmt: skip


class Head(Part):
    """What turns the last hidden state into scores.

    `rows` outputs from `width` inputs (default: the table's width); `tied`: the weight is the embedding table. `bias_apart`: the bias
    stands beside the matrix, so that one that is not tied has a bias of its own too. `transform`: a dense layer (and norm) before it, as
    masked models have. `pooler`: a dense layer on the first token, once a sequence. `per_sequence`: whether the `labels` are scored once
    a sequence (default: by kind). `stream`: whose tokens it reads. `prefix`: the name under which the head's class holds the bare model,
    where the language-model class of its family calls it otherwise. `in_base`: the bare model scores the vocabulary too. `padding`: rows
    of zeros that a checkpoint's matrix has after these; they are no parameters. `queries`: so many vectors of each sequence, of the hidden
    size, are multiplied with every token's (Splinter's question, for starts and ends).
    """

    kind: HeadKind = "causal"
    rows: int = 0
    tied: bool = False
    bias: bool = False
    bias_apart: bool = False
    width: int | None = None
    transform: bool = False
    transform_bias: bool = True
    transform_norm: Norm | None = None
    pooler: bool = False
    labels: int = 0
    per_sequence: bool | None = None
    softcap: float | None = None
    multiplier: float = 1.0
    stream: str = "text"
    prefix: str | None = None
    in_base: bool = False
    padding: int = 0
    queries: int = 0
