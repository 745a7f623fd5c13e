"""FNet (Lee-Thorp et al. 2021, arXiv 2105.03824): BERT with a Fourier transform in the place of attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Sublayer
from ..architecture.mixers.fourier import Fourier
from ._read.decoder import layer_norm
from ._read.encoder import Tasks, column, encoder_model, feed_forward, learned
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.vocabulary import HeadKind
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("fnet",)

NAMES = bert_names("fnet", {"attention.norm_residual": "fourier.output.LayerNorm", "embedding_map": "fnet.embeddings.projection"})
POOLED: tuple[HeadKind, ...] = (
    "none", "masked", "pretraining", "next_sentence", "sequence_classification", "token_classification", "question_answering",
    "multiple_choice",
)  # fmt: skip
TASKS = Tasks(pooled=POOLED)


def architecture(c: Settings) -> Architecture:
    """The embedding passes a square map; the pooler is part of every class. The Fourier transform costs no matrix product."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    if c.flag("use_tpu_fourier_optimizations"):
        why = "with SciPy the transform may be two products with stored matrices: counted as a fast transform"
        c.assume("use_tpu_fourier_optimizations", True, why, estimated=True)
    steps = [
        Sublayer(name="attention", mixers=[Fourier()], norm_residual=norm),
        Sublayer(name="feed_forward", mixers=[feed_forward(c)], norm_residual=norm),
    ]
    square = Projection(name="embedding_map", shape=[hidden, hidden], bias=True)
    return encoder_model(c, column(c, hidden, steps, embedding_norm=norm), TASKS, position=learned(c), projections=[square])


def ledger(a: Architecture) -> list[Row]:
    """The rows of an FNet checkpoint."""
    return model(a, NAMES)
