"""RoFormer (Su et al. 2021, arXiv 2104.09864): BERT with rotary positions and, where asked for, a narrow table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.positions.rotary import Rotary
from ._read.decoder import layer_norm, quotient
from ._read.encoder import Tasks, column, decodes, encoder_model, residual_steps, self_attention, sequence_summary
from ._read.head import head_kind
from ._rows.encoder_names import DENSE, bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("roformer",)

NAMES = bert_names(
    "roformer",
    DENSE,
    {
        "embedding_projection": "roformer.embeddings_project",
        "angles": "roformer.encoder.embed_positions",
        "summary": "sequence_summary.summary",
    },
)
TASKS = Tasks(pooled=(), dense=("sequence_classification",))


def architecture(c: Settings) -> Architecture:
    """The sines and cosines are kept as a table of `max_position_embeddings` rows of a head's width, and saved."""
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c), c.int("num_attention_heads")
    width, turned = c.optional_int("embedding_size", minimum=1) or hidden, quotient(c, hidden, heads)
    mixer = self_attention(c, hidden, causal=decodes(c), position=Rotary(theta=10000.0, width=turned, layout="interleaved"))
    stack = column(c, hidden, residual_steps(c, hidden, norm, mixer=mixer), embedding_norm=norm.model_copy(update={"size": width}))
    shape = [c.int("max_position_embeddings"), turned]
    angles = Projection(name="angles", shape=shape, multiplies=False, component="position_embedding")
    pieces = sequence_summary(c, hidden) if head_kind(c, "masked") == "multiple_choice" else []
    return encoder_model(c, stack.model_copy(update={"projections": [angles]}), TASKS, width=width, projections=pieces)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a RoFormer checkpoint."""
    return model(a, NAMES)
