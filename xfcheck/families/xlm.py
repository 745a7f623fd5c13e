"""XLM (Lample and Conneau 2019, arXiv 1901.07291) and FlauBERT (Le et al. 2019, arXiv 1912.05372)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Sublayer
from ..architecture.masks import BIDIRECTIONAL, CAUSAL
from ..architecture.mixers.mlp import MLP
from ..architecture.vocabulary import Head
from ._read.decoder import layer_norm
from ._read.encoder import Tasks, column, encoder_head, encoder_model, learned, self_attention, sequence_summary, span_head
from ._read.head import architecture_name, head_kind, labels
from ._rows.encoder_names import span_names
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("xlm", "flaubert")

NAMES = Names(
    {
        "embedding": "transformer.embeddings",
        "positions": "transformer.position_embeddings",
        "languages": "transformer.lang_embeddings",
        "embedding_norm": "transformer.layer_norm_emb",
        "layer": "transformer.",
        "attention.query": "attentions.{layer}.q_lin",
        "attention.key": "attentions.{layer}.k_lin",
        "attention.value": "attentions.{layer}.v_lin",
        "attention.output": "attentions.{layer}.out_lin",
        "attention.norm": "layer_norm1.{layer}",
        "attention.norm_residual": "layer_norm1.{layer}",
        "mlp.up": "ffns.{layer}.lin1",
        "mlp.down": "ffns.{layer}.lin2",
        "feed_forward.norm": "layer_norm2.{layer}",
        "feed_forward.norm_residual": "layer_norm2.{layer}",
        "head": "pred_layer.proj",
        "classifier": "classifier",
        "question_answering:classifier": "qa_outputs",
        "summary": "sequence_summary.summary",
        "choice": "logits_proj",
        **span_names("qa_outputs."),
    },
    base_prefix="transformer.",
)
TASKS = Tasks(pooled=(), transform=False, bias_apart=False)
SPANS = ("XLMForQuestionAnswering", "FlaubertForQuestionAnswering")


def architecture(c: Settings) -> Architecture:
    """The feed-forward is four times as wide as the stream; no pass keeps a cache, not even of a causal model."""
    hidden, norm, causal = c.int("emb_dim"), layer_norm(c), c.flag("causal")
    if not c.flag("is_encoder", True):
        raise c.refuse("is_encoder", "this class is an encoder", code="XF118", help='"is_encoder": true')
    before, after = (norm, None) if c.flag("pre_norm") else (None, norm)
    attention = self_attention(c, hidden, causal=causal).model_copy(update={"cached": False, "mask": CAUSAL if causal else BIDIRECTIONAL})
    activation = "gelu" if c.flag("gelu_activation") else "relu"
    forward = MLP(intermediate_size=4 * hidden, activation=activation, gated=False, bias=True, output_bias=True)
    steps = [
        Sublayer(name="attention", mixers=[attention], norm=before, norm_residual=after),
        Sublayer(name="feed_forward", mixers=[forward], norm=before, norm_residual=after),
    ]
    stack = column(c, hidden, steps, embedding_norm=norm)
    head, pieces = _head(c, hidden)
    languages = c.int("n_langs", minimum=0)
    if languages > 1 and c.flag("use_lang_emb"):
        pieces.append(Projection(name="languages", shape=[languages, hidden], multiplies=False, component="token_embedding"))
    return encoder_model(c, stack, TASKS, position=learned(c), types=0, projections=pieces, head=head)


def _head(c: Settings, hidden: int) -> tuple[Head, list[Projection]]:
    """A summary of the sequence is the classifier itself, or what the choice is scored from."""
    kind = head_kind(c, "masked")
    if kind == "sequence_classification":
        return Head(kind=kind), sequence_summary(c, hidden)
    if kind == "multiple_choice":
        choice = Projection(name="choice", shape=[1, labels(c)], bias=True, component="head", stream="pooled")
        return Head(kind=kind), [*sequence_summary(c, hidden), choice]
    if architecture_name(c) in SPANS:
        return Head(kind="other"), span_head(c, hidden)
    if c.flag("asm") and kind in ("masked", "causal"):
        c.assume("asm", True, "an adaptive softmax is counted as a full matrix", estimated=True)
    return encoder_head(c, TASKS, c.int("vocab_size")), []


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
