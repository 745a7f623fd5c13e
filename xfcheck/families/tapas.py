"""TAPAS (Herzig et al. 2020, arXiv 2004.02349): BERT over tables, with several kinds of token types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.vocabulary import Head
from ._read.encoder import BERT_TASKS, bert_stack, encoder_head, encoder_model, learned
from ._read.head import architecture_name
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Stack
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("tapas",)

NAMES = bert_names(
    "tapas",
    {
        "cells": "output_weights!",
        "columns": "column_output_weights!",
        "cells_bias": "output_bias!",
        "columns_bias": "column_output_bias!",
        "aggregation": "aggregation_classifier",
    },
)


def architecture(c: Settings) -> Architecture:
    """One table a kind of token type (segment, column, row, ranks); the class for questions about tables scores cells and columns."""
    stack = _without_cache(bert_stack(c))
    hidden = stack.hidden_size
    sizes = c.list("type_vocab_sizes") or []
    if any(isinstance(size, bool) or not isinstance(size, int) or size < 0 for size in sizes):
        raise c.refuse("type_vocab_sizes", "type_vocab_sizes holds something that is no whole number")
    shapes = ([size, hidden] for size in sizes)
    pieces = [Projection(name=f"types_{i}", shape=s, multiplies=False, component="token_embedding") for i, s in enumerate(shapes)]
    named = architecture_name(c)
    if c.table is not None and named is not None and c.table.architectures.get(named) == "table_question_answering":
        head = Head(kind="other", pooler=True)
        pieces += _answers(c, hidden)
    else:
        head = encoder_head(c, BERT_TASKS, c.int("vocab_size"))
    return encoder_model(c, stack, BERT_TASKS, position=learned(c), types=0, projections=pieces, head=head)


def _without_cache(stack: Stack) -> Stack:
    """No class of this type hands out a cache, not even a causal one."""
    steps = [
        step.model_copy(update={"mixers": [m if m.kind == "mlp" else m.model_copy(update={"cached": False}) for m in step.mixers]})
        for step in stack.blocks[0].sublayers
    ]
    return stack.model_copy(update={"blocks": [stack.blocks[0].model_copy(update={"sublayers": steps})]})


def _answers(c: Settings, hidden: int) -> list[Projection]:
    """Cell and column scores of every token, and a choice of the aggregation once a sequence."""
    pieces = [
        Projection(name="cells", shape=[hidden], component="head"),
        Projection(name="columns", shape=[hidden], component="head", multiplies=c.flag("select_one_column")),
        Projection(name="cells_bias", shape=[], component="head", multiplies=False),
        Projection(name="columns_bias", shape=[], component="head", multiplies=False),
    ]
    rows = c.int("num_aggregation_labels", minimum=0)
    if rows:
        pieces.append(Projection(name="aggregation", shape=[rows, hidden], bias=True, component="head", stream="pooled"))
    return pieces


def ledger(a: Architecture) -> list[Row]:
    """The rows of a TAPAS checkpoint."""
    kinds = [p.name for p in a.projections if p.component == "token_embedding"]
    return model(a, NAMES.but({name: f"tapas.embeddings.token_type_embeddings_{i}" for i, name in enumerate(kinds)}))
