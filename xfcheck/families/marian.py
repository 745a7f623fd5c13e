"""Marian translation models (Junczys-Dowmunt et al. 2018, arXiv 1804.00344) as transformers 5.24 holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.vocabulary import Embedding
from ._read.encoder_decoder import Style, encoder_decoder, logits_bias, stack, table, whole, word_head
from ._read.head import head_kind
from ._rows.bart_names import BART, bart_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("marian",)

SEPARATE = BART.but({"embedding": "model.decoder.embed_tokens"})


def architecture(c: Settings) -> Architecture:
    """Post-norm; sinusoidal tables are parameters that the translation class does not save; one vocabulary, or one a side."""
    kind = head_kind(c, "seq2seq")
    style = Style(embedding_norm=False, positions="unsaved_parameter" if kind == "seq2seq" else "parameter")
    a = encoder_decoder(c, style)
    rows = c.int("vocab_size")
    target = c.optional_int("decoder_vocab_size") or rows
    if kind == "causal":
        embedding = Embedding(rows=target, position=table(c, style), streams=["decoder"])
        return a.model_copy(update={"embedding": embedding, "head": a.head.model_copy(update={"rows": target if a.head.tied else rows})})
    if c.flag("share_encoder_decoder_embeddings"):
        first, second = a.stacks
        table_rows = rows if c.flag("tie_word_embeddings") else target
        own = Embedding(rows=table_rows, position=table(c, style), tied=c.flag("tie_word_embeddings"))
        return a.model_copy(update={"stacks": [first, second.model_copy(update={"embedding": own})]})
    return separate(c, style, rows, target)


def separate(c: Settings, style: Style, rows: int, target: int) -> Architecture:
    """Two vocabularies: a table each, the head over the target's."""
    kind, hidden = head_kind(c, "seq2seq"), c.int("hidden_size")
    source = Embedding(rows=rows, position=table(c, style))
    stacks = [stack(c, "encoder", hidden, style).model_copy(update={"embedding": source}), stack(c, "decoder", hidden, style)]
    projections = [logits_bias(target)] if kind == "seq2seq" else []
    embedding = Embedding(rows=target, position=table(c, style), streams=["decoder"])
    return whole(c, stacks, embedding, word_head(c, kind, target, c.flag("tie_word_embeddings"), style), projections)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Marian checkpoint."""
    apart = len(a.stacks) == 2 and a.embedding is not None and a.embedding.streams == ["decoder"]
    return bart_rows(a, SEPARATE if apart else BART)
