"""FSMT, the translation models of fairseq's WMT19 entry (Ng et al. 2019, arXiv 1907.06616)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.vocabulary import Embedding, Head
from ._read.encoder_decoder import Style, stack, table, whole
from ._read.head import head_kind
from ._rows.bart_names import BART
from ._rows.model import bare, model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.vocabulary import HeadKind
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("fsmt",)

NAMES = BART.but({"embedding": "model.decoder.embed_tokens", "head": "model.decoder.output_projection"})


def architecture(c: Settings) -> Architecture:
    """Post-norm, two vocabularies; the sinusoidal tables are saved, and begin after the padding token's number.

    The scores are made inside the decoder, in the bare model too. Tied, one table serves source, target and scores.
    """
    hidden, tied = c.int("hidden_size"), c.flag("tie_word_embeddings")
    target = c.int("tgt_vocab_size")
    style = Style(embedding_norm=False, positions="parameter", offset=c.int("pad_token_id", minimum=0) + 1)
    position = table(c, style)
    source = Embedding(rows=target if tied else c.int("src_vocab_size"), position=position, tied=tied)
    stacks = [stack(c, "encoder", hidden, style).model_copy(update={"embedding": source}), stack(c, "decoder", hidden, style)]
    kind: HeadKind = "none" if head_kind(c, "seq2seq") == "none" else "seq2seq"
    head = Head(kind=kind, rows=target, tied=tied, stream="decoder", in_base=True)
    return whole(c, stacks, Embedding(rows=target, position=position, streams=["decoder"]), head)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an FSMT checkpoint."""
    rows = model(a.model_copy(update={"head": a.head.model_copy(update={"kind": "seq2seq"})}), NAMES)
    return rows if a.head.kind != "none" else bare(rows, NAMES.base_prefix)
