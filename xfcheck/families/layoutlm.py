"""LayoutLM (Xu et al. 2019, arXiv 1912.13318): BERT with tables of the words' places on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._read.encoder import Tasks, bert_stack, encoder_model, learned
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("layoutlm",)

AXES = ("x", "y", "h", "w")
NAMES = bert_names("layoutlm", {f"page_{axis}": f"layoutlm.embeddings.{axis}_position_embeddings" for axis in AXES})
TASKS = Tasks(pooled=("none", "masked", "sequence_classification", "token_classification", "question_answering"))


def architecture(c: Settings) -> Architecture:
    """Left and right share the table of x, top and bottom that of y; the pooler is part of every class."""
    stack = bert_stack(c)
    rows = c.int("max_2d_position_embeddings")
    shape = [rows, stack.hidden_size]
    tables = [Projection(name=f"page_{axis}", shape=shape, multiplies=False, component="position_embedding") for axis in AXES]
    return encoder_model(c, stack, TASKS, position=learned(c), projections=tables)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a LayoutLM checkpoint."""
    return model(a, NAMES)
