"""Pop2Piano (Choi et al. 2022, arXiv 2211.00895): a T5 that reads spectrogram frames, and a vector of whom it shall sound like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._read.t5_stacks import Style, t5_model
from ._rows.t5_names import T5, t5_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("pop2piano",)


def architecture(c: Settings) -> Architecture:
    """Frames are as wide as the model and need no map; the head is never tied. The composers' table works in no pass but generation."""
    made = t5_model(c, Style())
    composers = Projection(name="composers", shape=[c.int("composer_vocab_size"), c.int("hidden_size")], multiplies=False, stream="audio")
    head = made.head.model_copy(update={"tied": False})
    return made.model_copy(update={"head": head, "projections": [*made.projections, composers]})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return t5_rows(a, T5.but({"composers": "mel_conditioner.embedding"}))
