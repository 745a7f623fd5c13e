"""Reformer (Kitaev et al. 2020, arXiv 2001.04451): reversible layers, attention of neighbours and of tokens hashed alike."""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Padding, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL, CAUSAL
from ..architecture.mixers.bucketed_attention import BucketedAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.vocabulary import Head
from ._read.decoder import layer_norm
from ._read.encoder import Tasks, encoder_model, learned
from ._read.head import head_kind, labels
from ._read.layers import grouped
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("reformer",)

NAMES = Names(
    {
        "embedding": "reformer.embeddings.word_embeddings",
        "positions": "reformer.embeddings.position_embeddings.embedding",
        "axis_0": "reformer.embeddings.position_embeddings.weights.0!",
        "axis_1": "reformer.embeddings.position_embeddings.weights.1!",
        "layer": "reformer.encoder.layers.{layer}.",
        "attention.norm": "attention.layer_norm",
        "bucketed_attention.query": "attention.self_attention.query",
        "bucketed_attention.key": "attention.self_attention.key",
        "bucketed_attention.query_key": "attention.self_attention.query_key",
        "bucketed_attention.value": "attention.self_attention.value",
        "bucketed_attention.output": "attention.output.dense",
        "feed_forward.norm": "feed_forward.layer_norm",
        "mlp.up": "feed_forward.dense.dense",
        "mlp.down": "feed_forward.output.dense",
        "final_norm": "reformer.encoder.layer_norm",
        "head": "lm_head.decoder",
        "head_bias": "lm_head",
        "classifier_in": "classifier.dense",
        "classifier_out": "classifier.out_proj",
        "spans": "qa_outputs",
    },
    base_prefix="reformer.",
)
KINDS = ("local", "lsh")


def architecture(c: Settings) -> Architecture:
    """`attn_layers` says which layers hash. Scores are read from both halves of the reversible stream, and are never tied."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    kinds = c.list("attn_layers") or []
    if not kinds or any(kind not in KINDS for kind in kinds):
        raise c.refuse("attn_layers", "attn_layers needs one name a layer", code="XF114", help="local or lsh")
    blocks = []
    for kind, layers in _layers(c, kinds).items():
        forward = MLP(
            intermediate_size=c.int("feed_forward_size"),
            activation=c.text("hidden_act") or "relu",
            gated=False,
            bias=True,
            output_bias=True,
        )
        steps = [
            Sublayer(name="attention", mixers=[_attention(c, hidden, kind)], norm=norm),
            Sublayer(name="feed_forward", mixers=[forward], norm=norm),
        ]
        blocks.append(Block(name=kind, layers=layers, sublayers=steps))
    chunks = [c.int(f"{'lsh' if kind == 'lsh' else 'local'}_attn_chunk_length") for kind in dict.fromkeys(kinds)]
    stack = Stack(
        hidden_size=hidden,
        blocks=blocks,
        final_norm=norm.model_copy(update={"size": 2 * hidden}),
        padding=Padding(multiple=lcm(*chunks), above=min(chunks)),
    )
    head, pieces = _head(c, hidden)
    position = None
    if c.flag("axial_pos_embds"):
        pieces += _axes(c, hidden)
    else:
        position = learned(c)
    return encoder_model(c, stack, Tasks(pooled=(), transform=False), types=0, position=position, projections=pieces, head=head)


def _layers(c: Settings, kinds: list[str]) -> dict[str, LayerSet]:
    """Kind -> layers. A file's own `num_hidden_layers` beats the length of the list, which is enough where all its entries are alike."""
    layers = c.optional_int("num_hidden_layers", minimum=1, maximum=LIMIT) or len(kinds)
    if len(set(kinds)) == 1:
        return {kinds[0]: LayerSet.first(layers)}
    if len(kinds) < layers:
        raise c.refuse("attn_layers", f"attn_layers has {len(kinds)} entries for {layers} layers", code="XF114")
    return grouped(kinds[:layers])


def _attention(c: Settings, hidden: int, kind: str) -> BucketedAttention:
    buckets = c.raw("num_buckets", noted=False)
    whole = [buckets] if isinstance(buckets, int) else buckets
    if whole is not None and (
        not isinstance(whole, list) or any(isinstance(b, bool) or not isinstance(b, int) or b < 2 or b % 2 for b in whole)
    ):
        raise c.refuse("num_buckets", f"num_buckets is {buckets!r}", code="XF118", help="even numbers")
    heads = c.int("num_attention_heads")
    return BucketedAttention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=c.int("attention_head_size"),
        input_size=hidden,
        mask=CAUSAL if c.flag("is_decoder") else BIDIRECTIONAL,
        chunk=c.int(f"{kind}_attn_chunk_length"),
        before=c.int(f"{kind}_num_chunks_before", minimum=0),
        after=c.int(f"{kind}_num_chunks_after", minimum=0),
        hashes=c.int("num_hashes") if kind == "lsh" else None,
        rotations=None if whole is None else sum(whole),
        longest=c.int("max_position_embeddings"),
        dropout=c.number(f"{kind}_attention_probs_dropout_prob") or 0.0,
    )


def _head(c: Settings, hidden: int) -> tuple[Head, list[Projection]]:
    """Two biases of the scores are two tensors here."""
    kind = head_kind(c, "causal")
    if kind in ("causal", "masked"):
        return Head(kind=kind, rows=c.int("vocab_size"), bias=True, width=2 * hidden, stream="given"), []
    if kind == "sequence_classification":
        return Head(kind=kind), [
            Projection(name="classifier_in", shape=[hidden, 2 * hidden], bias=True, component="head", stream="pooled"),
            Projection(name="classifier_out", shape=[labels(c), hidden], bias=True, component="head", stream="pooled"),
        ]
    if kind == "question_answering":
        return Head(kind=kind), [Projection(name="spans", shape=[labels(c), 2 * hidden], bias=True, component="head", stream="given")]
    return Head(kind="none"), []


def _axes(c: Settings, hidden: int) -> list[Projection]:
    """A position's vector is put together from one of a row and one of a column. Raises Refused where they are not hidden_size wide."""
    shape, widths = c.list("axial_pos_shape") or [], c.list("axial_pos_embds_dim") or []
    if len(shape) != 2 or len(widths) != 2 or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in (*shape, *widths)):
        raise c.refuse("axial_pos_shape", "axial_pos_shape and axial_pos_embds_dim need two whole numbers each", code="XF114")
    if sum(widths) != hidden:
        raise c.refuse("axial_pos_embds_dim", f"axial_pos_embds_dim sums to {sum(widths)}, hidden_size is {hidden}", code="XF118")
    tables = ([shape[0], 1, widths[0]], [1, shape[1], widths[1]])
    return [Projection(name=f"axis_{i}", shape=table, multiplies=False, component="position_embedding") for i, table in enumerate(tables)]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Reformer checkpoint."""
    return model(a, NAMES)
