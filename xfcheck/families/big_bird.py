"""BigBird (Zaheer et al. 2020, arXiv 2007.14062): BERT with block-sparse attention over long sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Padding, Projection
from ..architecture.masks import Mask
from ..architecture.mixers.bigbird_attention import BigBirdAttention
from ._read.decoder import layer_norm
from ._read.encoder import Tasks, column, decodes, encoder_head, encoder_model, learned, residual_steps, self_attention
from ._rows.encoder_names import DENSE, bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.mixers.attention import Attention
    from ..architecture.model import Architecture
    from ..architecture.vocabulary import HeadKind
    from ..ledger import Row
    from ._read.decoder import Biased
    from ._read.settings import Settings

MODEL_TYPES = ("big_bird",)

NAMES = bert_names(
    "bert",
    DENSE,
    {
        "pooler": "bert.pooler",
        "question_answering:classifier": "qa_classifier.qa_outputs",
        "answer_up": "qa_classifier.intermediate.dense",
        "answer_down": "qa_classifier.output.dense",
        "answer_norm": "qa_classifier.output.LayerNorm",
        **{f"bigbird_attention.{part}": f"attention.self.{part}" for part in ("query", "key", "value")},
        "bigbird_attention.output": "attention.output.dense",
    },
)
POOLED: tuple[HeadKind, ...] = (
    "none", "causal", "masked", "pretraining", "sequence_classification", "token_classification", "multiple_choice",
)  # fmt: skip
TASKS = Tasks(pooled=POOLED, dense=("sequence_classification",))


def architecture(c: Settings) -> Architecture:
    """Up to (5 + 2 * random blocks) blocks the attention is full; longer sequences are filled up to whole blocks. Causal ones are full."""
    hidden, norm, causal = c.int("hidden_size"), layer_norm(c), decodes(c)
    kind = c.text("attention_type") or "block_sparse"
    if kind not in ("block_sparse", "original_full"):
        raise c.refuse("attention_type", f"attention_type is {kind!r}", code="XF118", help="block_sparse or original_full")
    if causal and kind == "block_sparse":
        c.assume("attention_type", "original_full", "with a cache, as in generation, the attention is full and causal")
    biases: list[Biased] = ["query", "key", "value", "output"] if c.flag("use_bias", True) else ["output"]
    plain = self_attention(c, hidden, causal=causal).model_copy(update={"biases": biases})
    sparse = None if causal or kind == "original_full" else _sparse(c, plain)
    steps = residual_steps(c, hidden, norm, mixer=sparse or plain)
    steps = [_biased(step, biases) if step.name == "cross_attention" else step for step in steps]
    stack = column(c, hidden, steps, embedding_norm=norm)
    head, pieces = encoder_head(c, TASKS, c.int("vocab_size")), []
    if sparse is not None:
        stack = stack.model_copy(update={"padding": Padding(multiple=sparse.block, above=sparse.full_below)})
        head = head.model_copy(update={"stream": "given"})
    if head.kind == "question_answering":
        inner = c.int("intermediate_size")
        stream = "given" if sparse is not None else None
        pieces = [
            Projection(name="answer_up", shape=[inner, hidden], bias=True, component="head", stream=stream),
            Projection(name="answer_down", shape=[hidden, inner], bias=True, component="head", stream=stream),
            Projection(name="answer_norm", shape=[hidden], multiplies=False, bias=True, component="head"),
        ]
    return encoder_model(c, stack, TASKS, position=learned(c), projections=pieces, head=head)


def _biased(step: Sublayer, biases: list[Biased]) -> Sublayer:
    return step.model_copy(update={"mixers": [mixer.model_copy(update={"biases": biases}) for mixer in step.mixers]})


def _sparse(c: Settings, plain: Attention) -> BigBirdAttention:
    block, chosen = c.int("block_size"), c.int("num_random_blocks", minimum=0)
    mask = Mask(kind="block_sparse", window=3 * block, block=block, global_tokens=2 * block, random_blocks=chosen)
    return BigBirdAttention(
        query_heads=plain.query_heads,
        kv_heads=plain.kv_heads,
        head_dim=plain.head_dim,
        biases=plain.biases,
        mask=mask,
        dropout=plain.dropout,
        block=block,
        random_blocks=chosen,
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a BigBird checkpoint."""
    return model(a, NAMES)
