"""SqueezeBERT (Iandola et al. 2020, arXiv 2006.11316): BERT with grouped convolutions of one tap for maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Sublayer
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.grouped import GroupedAttention, GroupedMLP
from ._read.decoder import QKVO, layer_norm, quotient
from ._read.encoder import Tasks, column, encoder_model, learned
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("squeezebert",)

NAMES = bert_names(
    "transformer",
    {
        "layer": "transformer.encoder.layers.{layer}.",
        "grouped_attention.query": "attention.query",
        "grouped_attention.key": "attention.key",
        "grouped_attention.value": "attention.value",
        "grouped_attention.output": "post_attention.conv1d",
        "attention.norm_residual": "post_attention.layernorm",
        "grouped_mlp.up": "intermediate.conv1d",
        "grouped_mlp.down": "output.conv1d",
        "feed_forward.norm_residual": "output.layernorm",
    },
)
TASKS = Tasks(
    pooled=("none", "masked", "sequence_classification", "token_classification", "question_answering", "multiple_choice"),
)


def architecture(c: Settings) -> Architecture:
    """Post-norm encoder; the pooler is part of every class. Raises Refused XF118 where groups do not divide channels."""
    hidden, norm, heads, inner = c.int("hidden_size"), layer_norm(c), c.int("num_attention_heads"), c.int("intermediate_size")
    if c.int("embedding_size") != hidden:
        raise c.refuse("embedding_size", f"embedding_size must be hidden_size {hidden}", code="XF118")
    attention = GroupedAttention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=quotient(c, hidden, heads),
        biases=QKVO,
        mask=BIDIRECTIONAL,
        query_groups=_groups(c, "q_groups", hidden),
        key_groups=_groups(c, "k_groups", hidden),
        value_groups=_groups(c, "v_groups", hidden),
        output_groups=_groups(c, "post_attention_groups", hidden),
        dropout=c.number("attention_probs_dropout_prob") or 0.0,
    )
    forward = GroupedMLP(
        intermediate_size=inner,
        activation=c.text("hidden_act") or "gelu",
        gated=False,
        bias=True,
        output_bias=True,
        groups=_groups(c, "intermediate_groups", hidden, inner),
        output_groups=_groups(c, "output_groups", hidden, inner),
    )
    steps = [
        Sublayer(name="attention", mixers=[attention], norm_residual=norm),
        Sublayer(name="feed_forward", mixers=[forward], norm_residual=norm),
    ]
    return encoder_model(c, column(c, hidden, steps, embedding_norm=norm), TASKS, position=learned(c))


def _groups(c: Settings, key: str, *channels: int) -> int:
    groups = c.int(key)
    if any(count % groups for count in channels):
        raise c.refuse(key, f"{key} {groups} does not divide {' and '.join(map(str, channels))}", code="XF118")
    return groups


def ledger(a: Architecture) -> list[Row]:
    """The rows of a SqueezeBERT checkpoint."""
    return model(a, NAMES)
