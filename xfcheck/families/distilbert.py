"""DistilBERT (Sanh et al. 2019, arXiv 1910.01108): BERT's layers without token types and pooler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Sublayer
from ..architecture.norm import Norm
from ._read.encoder import Tasks, column, encoder_head, encoder_model, feed_forward, learned, self_attention
from ._rows.encoder_names import CLASSIFIER
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("distilbert",)

NAMES = Names(
    {
        "embedding": "distilbert.embeddings.word_embeddings",
        "positions": "distilbert.embeddings.position_embeddings",
        "embedding_norm": "distilbert.embeddings.LayerNorm",
        "layer": "distilbert.transformer.layer.{layer}.",
        "attention.query": "attention.q_lin",
        "attention.key": "attention.k_lin",
        "attention.value": "attention.v_lin",
        "attention.output": "attention.out_lin",
        "attention.norm_residual": "sa_layer_norm",
        "mlp.up": "ffn.lin1",
        "mlp.down": "ffn.lin2",
        "feed_forward.norm_residual": "output_layer_norm",
        "transform": "vocab_transform",
        "transform_norm": "vocab_layer_norm",
        "head": "vocab_projector",
        **CLASSIFIER,
        "classifier_dense": "pre_classifier",
    },
    base_prefix="distilbert.",
)
TASKS = Tasks(pooled=(), dense=("sequence_classification", "multiple_choice"), bias_apart=False)


def architecture(c: Settings) -> Architecture:
    """Post-norm encoder of `n_layers`; `sinusoidal_pos_embds` only sets how the table of positions begins."""
    hidden, norm = c.int("dim"), Norm(kind="layer", eps=1e-12, bias=True)
    attention = self_attention(c, hidden, causal=False)
    steps = [
        Sublayer(name="attention", mixers=[attention], norm_residual=norm),
        Sublayer(name="feed_forward", mixers=[feed_forward(c, key="hidden_dim", activation="activation")], norm_residual=norm),
    ]
    head = encoder_head(c, TASKS, c.int("vocab_size"))
    if head.transform_norm is not None:
        head = head.model_copy(update={"transform_norm": norm})
    return encoder_model(c, column(c, hidden, steps, embedding_norm=norm), TASKS, position=learned(c), types=0, head=head)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a DistilBERT checkpoint."""
    return model(a, NAMES)
