"""ELECTRA (Clark et al. 2020, arXiv 2003.10555): BERT's layers under a narrow table; a generator's or a discriminator's head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.vocabulary import Head
from ._read.encoder import Tasks, bert_stack, encoder_head, encoder_model, learned, sequence_summary
from ._read.head import head_kind
from ._rows.encoder_names import DENSE, bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("electra",)

NAMES = bert_names(
    "electra",
    DENSE,
    {
        "embedding_projection": "electra.embeddings_project",
        "summary": "sequence_summary.summary",
        "discriminator": "discriminator_predictions.dense",
        "other:classifier": "discriminator_predictions.dense_prediction",
    },
    head={"transform": "generator_predictions.dense", "transform_norm": "generator_predictions.LayerNorm", "head": "generator_lm_head"},
)
TASKS = Tasks(pooled=(), dense=("sequence_classification",), default="masked", bias_apart=False)


def architecture(c: Settings) -> Architecture:
    """The pretraining head scores every token as replaced or not: it has no vocabulary."""
    stack = bert_stack(c)
    hidden, width = stack.hidden_size, c.int("embedding_size")
    assert stack.embedding_norm is not None
    stack = stack.model_copy(update={"embedding_norm": stack.embedding_norm.model_copy(update={"size": width})})
    kind, head = head_kind(c, "masked"), None
    pieces: list[Projection] = []
    if kind == "pretraining":
        pieces.append(Projection(name="discriminator", shape=[hidden, hidden], bias=True, component="head"))
        head = Head(kind="other", labels=1, bias=True, per_sequence=False)
    elif kind == "multiple_choice":
        pieces = sequence_summary(c, hidden)
    made = head or encoder_head(c, TASKS, c.int("vocab_size"))
    return encoder_model(c, stack, TASKS, position=learned(c), width=width, projections=pieces, head=made)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an ELECTRA checkpoint."""
    return model(a, NAMES)
