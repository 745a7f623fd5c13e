"""The decoder of TrOCR (Li et al. 2021, arXiv 2109.10282): BART's, alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.vocabulary import Embedding
from ._read.encoder_decoder import Style, stack, table, whole, word_head
from ._read.head import head_kind
from ._rows.bart_names import BART, bart_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("trocr",)

NAMES = BART.but({"head": "output_projection"})


def architecture(c: Settings) -> Architecture:
    """Post-norm; learned positions from row 2 on, or computed ones; its cross attention has no encoder here."""
    learned = c.flag("use_learned_position_embeddings")
    style = Style(
        embedding_norm=c.flag("layernorm_embedding"),
        positions="learned" if learned else "none",
        offset=2 if learned else c.int("pad_token_id", minimum=0) + 1,
        memory_size=c.optional_int("cross_attention_hidden_size", minimum=1),
    )
    hidden, rows, tied = c.int("hidden_size"), c.int("vocab_size"), c.flag("tie_word_embeddings")
    kind = head_kind(c)
    only = stack(c, "decoder", hidden, style, memory=False)
    return whole(c, [only], Embedding(rows=rows, position=table(c, style), streams=["decoder"]), word_head(c, kind, rows, tied, style))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a TrOCR decoder's checkpoint."""
    return bart_rows(a, NAMES)
