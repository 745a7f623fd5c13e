"""RemBERT (Chung et al. 2020, arXiv 2010.12821): a narrow input table and a wide output one, never tied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.encoder import BERT_TASKS, bert_stack, encoder_head, encoder_model, learned
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("rembert",)

NAMES = bert_names(
    "rembert",
    {"embedding_projection": "rembert.encoder.embedding_hidden_mapping_in"},
    head={"transform": "cls.predictions.dense", "transform_norm": "cls.predictions.LayerNorm", "head": "cls.predictions.decoder"},
)


def architecture(c: Settings) -> Architecture:
    """BERT's layers between a table of `input_embedding_size` and scores from `output_embedding_size`."""
    stack, width = bert_stack(c), c.int("input_embedding_size")
    assert stack.embedding_norm is not None
    stack = stack.model_copy(update={"embedding_norm": stack.embedding_norm.model_copy(update={"size": width})})
    made = encoder_head(c, BERT_TASKS, c.int("vocab_size"), c.int("output_embedding_size"))
    a = encoder_model(c, stack, position=learned(c), width=width, head=made.model_copy(update={"tied": False, "bias_apart": False}))
    assert a.embedding is not None
    return a.model_copy(update={"embedding": a.embedding.model_copy(update={"projection": True})})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a RemBERT checkpoint."""
    return model(a, NAMES)
