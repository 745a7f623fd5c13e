"""Funnel-Transformer (Dai et al. 2020, arXiv 2006.03236): blocks of layers over ever fewer tokens, and a decoder over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Padding, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.pooling_attention import PoolingAttention
from ..architecture.vocabulary import Head
from ._read.decoder import layer_norm
from ._read.encoder import Tasks, encoder_head, encoder_model, feed_forward
from ._read.head import architecture_name
from ._rows.model import bare, model, stack_rows
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("funnel",)

PARTS = {
    "query": "q_head",
    "key": "k_head",
    "value": "v_head",
    "output": "post_proj",
    "position_key": "r_kernel!",
    "content_bias": "r_w_bias!",
    "position_bias": "r_r_bias!",
    "segment_bias": "r_s_bias!",
    "segments": "seg_embed!",
}
NAMES = Names(
    {
        "embedding": "funnel.embeddings.word_embeddings",
        "embedding_norm": "funnel.embeddings.layer_norm",
        "decoder:layer": "funnel.decoder.layers.{layer}.",
        **{f"pooling_attention.{part}": f"attention.{name}" for part, name in PARTS.items()},
        "attention.norm_residual": "attention.layer_norm",
        "mlp.up": "ffn.linear_1",
        "mlp.down": "ffn.linear_2",
        "feed_forward.norm_residual": "ffn.layer_norm",
        "head": "lm_head",
        "classifier": "classifier",
        "question_answering:classifier": "qa_outputs",
        "classifier_dense": "classifier.linear_hidden",
        "sequence_classification:classifier": "classifier.linear_out",
        "multiple_choice:classifier": "classifier.linear_out",
        "discriminator": "discriminator_predictions.dense",
        "other:classifier": "discriminator_predictions.dense_prediction",
    },
    base_prefix="funnel.",
)
REPEATED = "repeated"
"""The blocks of stacks that apply a layer again which another stack holds."""

TASKS = Tasks(pooled=(), dense=("sequence_classification", "multiple_choice"), transform=False)


def architecture(c: Settings) -> Architecture:
    """Classifiers of sequences and the bare base class have no decoder; the pretraining head scores every token as replaced or not."""
    hidden = c.int("d_model")
    made = encoder_head(c, TASKS, c.int("vocab_size"))
    pieces = []
    if made.kind == "pretraining":
        made = Head(kind="other", labels=1, bias=True, per_sequence=False)
        pieces.append(Projection(name="discriminator", shape=[hidden, hidden], bias=True, component="head"))
    stacks = _encoder(c, hidden)
    if made.kind not in TASKS.dense and architecture_name(c) != "FunnelBaseModel":
        layers = c.int("num_decoder_layers", minimum=0)
        stacks.append(
            Stack(
                name="decoder",
                hidden_size=hidden,
                blocks=[Block(name="decoder", layers=LayerSet.first(layers), sublayers=_steps(c, hidden))],
            )
        )
    a = encoder_model(c, stacks[0], TASKS, types=0, projections=pieces, head=made)
    return a.model_copy(update={"stacks": stacks, "maximum_positions": None})


def _encoder(c: Settings, hidden: int) -> list[Stack]:
    """One stack a block; the first layer of a later one reads keys from before the pooling, its repeats do not (a stack of their own)."""
    sizes, repeats = _counts(c, "block_sizes"), _counts(c, "block_repeats")
    repeats = repeats or [1] * len(sizes)
    if not sizes or len(repeats) != len(sizes):
        raise c.refuse("block_repeats", f"{len(repeats)} repeats for {len(sizes)} block_sizes", code="XF114", help="one entry a block")
    apart, truncated, late = c.flag("separate_cls"), c.flag("truncate_seq"), c.flag("pool_q_only")
    stacks: list[Stack] = []
    for index, (size, times) in enumerate(zip(sizes, repeats, strict=True)):
        padding = Padding(halvings=index, first_apart=apart, truncated=truncated) if index else None
        name, stream = f"block{index}", f"pooled {index} times" if index else "text"
        plain = _steps(c, hidden)
        if index == 0:
            blocks = [Block(name=name, layers=LayerSet.first(size), sublayers=plain, uses=times)]
            stacks.append(Stack(name=name, hidden_size=hidden, blocks=blocks, embedding_norm=layer_norm(c)))
            continue
        first = Block(name="pooling", layers=LayerSet.first(1), sublayers=_steps(c, hidden, stacks[-1].stream if late else None))
        rest = Block(name="pooled", layers=LayerSet((range(1, size),)), sublayers=plain, uses=times)
        stacks.append(Stack(name=name, stream=stream, hidden_size=hidden, blocks=[first, rest], padding=padding))
        if times > 1:
            again = Block(name=REPEATED, layers=LayerSet.first(1), sublayers=plain, uses=times - 1)
            stacks.append(Stack(name=name, stream=stream, hidden_size=hidden, blocks=[again], padding=padding))
    return stacks


def _counts(c: Settings, key: str) -> list[int]:
    """A list of counts. Raises Refused for anything else in it, and for more than a hundred."""
    given = c.list(key) or []
    if len(given) > 100 or any(isinstance(count, bool) or not isinstance(count, int) or count < 1 for count in given):
        raise c.refuse(key, f"{key} needs at most a hundred whole numbers from 1 on")
    return given


def _steps(c: Settings, hidden: int, keys_stream: str | None = None) -> list[Sublayer]:
    heads, norm, kind = c.int("n_head"), layer_norm(c), c.text("attention_type") or "relative_shift"
    if kind not in ("relative_shift", "factorized"):
        raise c.refuse("attention_type", f"attention_type is {kind!r}", code="XF118", help="relative_shift or factorized")
    mixer = PoolingAttention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=c.int("d_head"),
        input_size=hidden,
        mask=BIDIRECTIONAL,
        keys_stream=keys_stream,
        factorized=kind == "factorized",
        dropout=c.number("attention_dropout") or 0.0,
    )
    forward = feed_forward(c, key="d_inner")
    return [
        Sublayer(name="attention", mixers=[mixer], norm_residual=norm),
        Sublayer(name="feed_forward", mixers=[forward], norm_residual=norm),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Funnel checkpoint; a layer that is repeated is stored once, and multiplies anew."""
    blocks = {stack.name: stack.name.removeprefix("block") for stack in a.stacks if stack.name and stack.name != "decoder"}
    names = NAMES.but({f"{name}:layer": f"funnel.encoder.blocks.{index}.{{layer}}." for name, index in blocks.items()})
    repeated = [stack for stack in a.stacks if stack.blocks[0].name == REPEATED]
    stored = model(a.model_copy(update={"stacks": [stack for stack in a.stacks if stack not in repeated]}), names)
    again = [row for stack in repeated for row in stack_rows(stack, names)]
    again = bare(again, names.base_prefix) if a.head.kind == "none" else again
    return [*stored, *(row._replace(tied_to=row.name) for row in again)]
