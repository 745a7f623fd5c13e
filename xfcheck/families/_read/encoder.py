"""Pieces that encoders and their causal twins read alike (Devlin et al. 2018, arXiv 1810.04805, and what followed)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...architecture.blocks import Block, Projection, Stack, Sublayer
from ...architecture.layers import LayerSet
from ...architecture.masks import BIDIRECTIONAL, CAUSAL
from ...architecture.mixers.attention import Attention
from ...architecture.mixers.cross_attention import CrossAttention
from ...architecture.mixers.mlp import MLP
from ...architecture.model import Architecture
from ...architecture.positions.tables import Learned
from ...architecture.vocabulary import Embedding, Head
from .decoder import QKVO, dtype, layer_norm, maximum_positions, quotient
from .head import CLASSIFIERS, head_kind, labels
from .layers import depth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...architecture.norm import Norm
    from ...architecture.part import Mixer, Part
    from ...architecture.vocabulary import HeadKind
    from .settings import Settings

NormPlace = Literal["norm", "norm_residual"]
POOLED: tuple[HeadKind, ...] = ("none", "pretraining", "next_sentence", "sequence_classification", "multiple_choice")
"""Heads whose class keeps BERT's pooler."""

ONCE: tuple[HeadKind, ...] = ("sequence_classification", "multiple_choice", "next_sentence", "pretraining")
"""Heads that score one vector a sequence."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """What the classes of a family keep and add, by kind of head.

    `pooled`: those that keep the pooler. `dense`: those whose classifier has a dense layer of the hidden size before it (part
    `classifier_dense`). `default`: the head where the file names none. `transform`: whether the vocabulary's scores come after a dense
    layer and a norm. `bias_apart`: whether the bias of these scores is the head's and not their matrix's.
    """

    pooled: tuple[HeadKind, ...] = POOLED
    dense: tuple[HeadKind, ...] = ()
    default: HeadKind = "masked"
    transform: bool = True
    bias_apart: bool = True


BERT_TASKS = Tasks()
ROBERTA_TASKS = Tasks(pooled=("none", "multiple_choice"), dense=("sequence_classification",))
"""A dense layer on the first token takes the pooler's place in the classifier."""


def decodes(c: Settings) -> bool:
    """Whether the model is causal with a cache. Raises Refused XF118 for cross attention without it."""
    causal = c.flag("is_decoder")
    if c.flag("add_cross_attention") and not causal:
        help_ = '"is_decoder": true, or leave add_cross_attention out'
        raise c.refuse("add_cross_attention", "add_cross_attention needs is_decoder", code="XF118", help=help_)
    return causal


def word_head(c: Settings, default: HeadKind) -> HeadKind:
    """The head where `architectures` names none: the causal one where the file asks for a decoder and the type has such a class."""
    twin = c.table is not None and "causal" in c.table.architectures.values()
    return "causal" if twin and c.flag("is_decoder") else default


def keeps(c: Settings) -> bool:
    """Whether the class hands out its cache: causal language models and bare models do, others drop it."""
    return head_kind(c, word_head(c, "masked")) in ("causal", "none")


def self_attention(c: Settings, hidden: int, *, causal: bool, position: Part | None = None) -> Attention:
    """Attention of as many key as query heads, with biases everywhere."""
    heads = c.int("num_attention_heads")
    return Attention(
        query_heads=heads, kv_heads=heads, head_dim=quotient(c, hidden, heads), biases=QKVO, mask=CAUSAL if causal else BIDIRECTIONAL,
        cached=keeps(c) if causal else None, position=position, dropout=c.number("attention_probs_dropout_prob") or 0.0,
    )  # fmt: skip


def feed_forward(c: Settings, *, key: str = "intermediate_size", activation: str = "hidden_act") -> MLP:
    """Two matrices with biases."""
    return MLP(intermediate_size=c.int(key), activation=c.text(activation) or "gelu", gated=False, bias=True, output_bias=True)


def residual_steps(c: Settings, hidden: int, norm: Norm, *, place: NormPlace = "norm_residual", position: Part | None = None,
                   mixer: Mixer | None = None, cross: bool = True) -> list[Sublayer]:  # fmt: skip
    """Self-attention (or `mixer`), cross attention where the file adds it, feed-forward; a norm before or after each sum."""
    causal = decodes(c) if cross else False
    before, after = (norm, None) if place == "norm" else (None, norm)
    attention = self_attention(c, hidden, causal=causal, position=position) if mixer is None else mixer
    steps = [Sublayer(name="attention", mixers=[attention], norm=before, norm_residual=after)]
    if cross and c.flag("add_cross_attention"):
        heads = c.int("num_attention_heads")
        across = CrossAttention(query_heads=heads, kv_heads=heads, head_dim=quotient(c, hidden, heads), biases=QKVO, memory="absent")
        steps.append(Sublayer(name="cross_attention", mixers=[across], norm=before, norm_residual=after))
    return [*steps, Sublayer(name="feed_forward", mixers=[feed_forward(c)], norm=before, norm_residual=after)]


def column(c: Settings, hidden: int, steps: list[Sublayer], *, embedding_norm: Norm | None, final_norm: Norm | None = None) -> Stack:
    """A stack of alike layers."""
    block = Block(name="encoder", layers=LayerSet.first(depth(c)), sublayers=steps)
    return Stack(hidden_size=hidden, blocks=[block], embedding_norm=embedding_norm, final_norm=final_norm)


def bert_stack(c: Settings) -> Stack:
    """BERT's layers: a norm after the embedding and after every sum."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    return column(c, hidden, residual_steps(c, hidden, norm), embedding_norm=norm)


def pad_offset(c: Settings) -> int:
    """Rows of the position table that no token uses: those up to the padding's (RoBERTa numbers positions from pad + 1)."""
    pad = c.optional_int("pad_token_id")
    return 0 if pad is None else pad + 1


def learned(c: Settings, *, offset: int = 0, key: str = "max_position_embeddings") -> Learned:
    """The table of positions. Its rows are the file's, rows that no token uses included."""
    return Learned(rows=c.int(key), offset=offset)


def encoder_model(  # noqa: PLR0913
    c: Settings,
    stack: Stack,
    tasks: Tasks = BERT_TASKS,
    *,
    naming: str | None = None,
    position: Part | None = None,
    width: int | None = None,
    types: int | None = None,
    projections: Sequence[Projection] = (),
    projection_bias: bool = True,
    head: Head | None = None,
) -> Architecture:
    """An encoder around its stack: token, type and position tables, and the head that `architectures` names.

    `width` is the table's where it is not the hidden size; `types` the rows of token types where no key of the usual name gives them;
    `head` takes the place of the head made here.
    """
    rows, hidden = c.int("vocab_size"), stack.hidden_size
    made = encoder_head(c, tasks, rows) if head is None else head
    dense = Projection(name="classifier_dense", shape=[hidden, hidden], bias=True, component="head", stream="pooled")
    return Architecture(
        embedding=Embedding(
            rows=rows, width=width, projection=width is not None and width != hidden, projection_bias=projection_bias,
            types=c.int("type_vocab_size") if types is None else types, position=position,
        ),
        stacks=[stack],
        head=made,
        projections=[*projections, *([dense] if made.kind in tasks.dense else [])],
        maximum_positions=maximum_positions(c),
        dtype=dtype(c),
        quantization=c.mapping("quantization_config"),
        naming=naming,
    )  # fmt: skip


def encoder_head(c: Settings, tasks: Tasks, rows: int, width: int | None = None) -> Head:
    """The head of `architectures`: the vocabulary's scores after a transform, or a classifier on tokens or on one vector a sequence."""
    kind = head_kind(c, word_head(c, tasks.default))
    words = kind in ("masked", "causal", "pretraining")
    count, transform = label_rows(c, kind), words and tasks.transform
    return Head(
        kind=kind, rows=rows if words else 0, tied=words and c.flag("tie_word_embeddings", True), bias=words or count > 0,
        bias_apart=words and tasks.bias_apart,
        width=width if words else None, transform=transform, transform_norm=layer_norm(c) if transform else None,
        pooler=kind in tasks.pooled, labels=count, per_sequence=kind in ONCE,
    )  # fmt: skip


def label_rows(c: Settings, kind: HeadKind) -> int:
    """Rows of the classifier of a kind of head, 0 where it has none."""
    if kind in ("pretraining", "next_sentence"):
        return 2
    if kind == "multiple_choice":
        return 1
    return labels(c) if kind in CLASSIFIERS else 0


def sequence_summary(c: Settings, hidden: int) -> list[Projection]:
    """The map of one vector a sequence that some classes apply before their classifier, where `summary_use_proj` asks for it."""
    if not c.flag("summary_use_proj"):
        return []
    rows = labels(c) if c.flag("summary_proj_to_labels") else hidden
    return [Projection(name="summary", shape=[rows, hidden], bias=True, component="head", stream="pooled")]


def span_head(c: Settings, hidden: int) -> list[Projection]:
    """Start, end and answerability scores (`start_logits`, `end_logits`, `answer_class`): the best starts are tried with every end."""
    c.assume("architectures", "question_answering", "ends are scored once a start that is kept: counted once a token", estimated=True)
    return [
        Projection(name="start", shape=[1, hidden], bias=True, component="head"),
        Projection(name="end_in", shape=[hidden, 2 * hidden], bias=True, component="head"),
        Projection(name="end_norm", shape=[hidden], multiplies=False, bias=True, component="head"),
        Projection(name="end_out", shape=[1, hidden], bias=True, component="head"),
        Projection(name="answer_in", shape=[hidden, 2 * hidden], bias=True, component="head", stream="pooled"),
        Projection(name="answer_out", shape=[1, hidden], component="head", stream="pooled"),
    ]
