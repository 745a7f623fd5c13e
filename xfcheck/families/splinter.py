"""Splinter (Ram et al. 2021, arXiv 2101.00438): BERT's encoder without a pooler, and a head that scores spans for a question's token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.vocabulary import Head
from ._read.encoder import Tasks, bert_stack, encoder_model, learned
from ._read.head import head_kind
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("splinter",)
ENDS = ("start", "end")

NAMES = bert_names(
    "splinter",
    {
        **{f"{end}_question": f"splinter_qass.query_{end}_transform.dense" for end in ENDS},
        **{f"{end}_question_norm": f"splinter_qass.query_{end}_transform.LayerNorm" for end in ENDS},
        **{f"{end}_token": f"splinter_qass.{end}_transform.dense" for end in ENDS},
        **{f"{end}_token_norm": f"splinter_qass.{end}_transform.LayerNorm" for end in ENDS},
        **{f"{end}_scores": f"splinter_qass.{end}_classifier" for end in ENDS},
    },
)


def architecture(c: Settings) -> Architecture:
    """One question a sequence is counted; it has a vector for starts and one for ends, which score every token."""
    stack = bert_stack(c)
    spans = head_kind(c, "none") in ("question_answering", "pretraining")
    head = Head(kind="question_answering" if spans else "none", rows=0, tied=False, queries=len(ENDS) if spans else 0)
    tasks = Tasks(pooled=(), default="none")
    return encoder_model(c, stack, tasks, position=learned(c), projections=_spans(stack.hidden_size) if spans else (), head=head)


def _spans(hidden: int) -> list[Projection]:
    """For starts and for ends: maps of the question's token and of every token, a norm behind each, and the matrix between the two."""
    found = []
    for end in ENDS:
        for of, stream in (("question", "pooled"), ("token", None)):
            name = f"{end}_{of}"
            found.append(Projection(name=name, shape=[hidden, hidden], bias=True, component="head", stream=stream))
            found.append(Projection(name=f"{name}_norm", shape=[hidden], multiplies=False, bias=True, component="head"))
        found.append(Projection(name=f"{end}_scores", shape=[hidden, hidden], component="head", stream="pooled"))
    return found


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
