"""DeBERTa (He et al. 2020, arXiv 2006.03654) and its second and third version (arXiv 2111.09543)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Projection, Sublayer
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.disentangled_attention import DisentangledAttention
from ._read.decoder import QKVO, layer_norm, quotient
from ._read.encoder import Tasks, column, encoder_head, encoder_model, feed_forward, learned
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.decoder import Biased
    from ._read.settings import Settings

MODEL_TYPES = ("deberta", "deberta-v2")

SHARED = {
    "pooler": "pooler.dense",
    "embedding_projection": "deberta.embeddings.embed_proj",
    "relative_positions": "deberta.encoder.rel_embeddings",
    "relative_norm": "deberta.encoder.LayerNorm",
    "convolution": "deberta.encoder.conv.conv",
    "convolution_norm": "deberta.encoder.conv.LayerNorm",
}
FIRST = {
    "disentangled_attention.qkv": "attention.self.in_proj",
    "disentangled_attention.query_bias": "attention.self.q_bias!",
    "disentangled_attention.value_bias": "attention.self.v_bias!",
    "disentangled_attention.output": "attention.output.dense",
    "disentangled_attention.position_key": "attention.self.pos_proj",
    "disentangled_attention.position_query": "attention.self.pos_q_proj",
    "disentangled_attention.heads_logits": "attention.self.head_logits_proj",
    "disentangled_attention.heads_weights": "attention.self.head_weights_proj",
}
SECOND = {
    f"{kind}.{part}": f"attention.self.{name}"
    for kind in ("attention", "disentangled_attention")
    for part, name in {
        "query": "query_proj",
        "key": "key_proj",
        "value": "value_proj",
        "position_key": "pos_key_proj",
        "position_query": "pos_query_proj",
    }.items()
} | {"disentangled_attention.output": "attention.output.dense"}
NEW_HEAD = {
    "transform": "lm_predictions.lm_head.dense",
    "transform_norm": "lm_predictions.lm_head.LayerNorm",
    "head": "lm_predictions.lm_head.decoder",
    "head_bias": "lm_predictions.lm_head",
}
NAMES = {
    "deberta": bert_names("deberta", SHARED, FIRST),
    "deberta/new": bert_names("deberta", SHARED, FIRST, head=NEW_HEAD),
    "deberta-v2": bert_names("deberta", SHARED, SECOND),
    "deberta-v2/new": bert_names("deberta", SHARED, SECOND, head=NEW_HEAD),
}
TASKS = Tasks(pooled=("sequence_classification", "multiple_choice"))


def architecture(c: Settings) -> Architecture:
    """BERT's layers over attention with relative positions; a table of absolute ones where `position_biased_input`."""
    second = c.table is not None and c.table.model_type == "deberta-v2"
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    steps = [
        Sublayer(name="attention", mixers=[_attention(c, hidden, second=second)], norm_residual=norm),
        Sublayer(name="feed_forward", mixers=[feed_forward(c)], norm_residual=norm),
    ]
    stack = column(c, hidden, steps, embedding_norm=norm)
    stack = stack.model_copy(update={"projections": [*_relative(c, hidden, second=second), *(_convolution(c, hidden) if second else [])]})
    width = c.optional_int("embedding_size", minimum=1)
    position = learned(c) if c.flag("position_biased_input", True) else None
    head = encoder_head(c, TASKS, c.int("vocab_size"))
    legacy = c.flag("legacy", True)
    if head.rows and not legacy:
        head = head.model_copy(update={"tied": True, "width": hidden})
    pooled = head.pooler and c.data.get("pooler_hidden_size") not in (None, hidden)
    if pooled:
        raise c.refuse(
            "pooler_hidden_size", f"pooler_hidden_size is not hidden_size {hidden}: the pooler reads the hidden states", code="XF118"
        )
    naming = ("deberta-v2" if second else "deberta") + ("" if legacy else "/new")
    types = c.int("type_vocab_size", minimum=0)  # both classes leave the table out at 0
    return encoder_model(
        c, stack, TASKS, naming=naming, position=position, width=width, types=types, head=head, projection_bias=False
    )  # fmt: skip


def _attention(c: Settings, hidden: int, *, second: bool) -> Attention:
    """The second version keeps query, key and value apart; without `relative_attention` it is plain."""
    heads, relative, terms = c.int("num_attention_heads"), c.flag("relative_attention"), _terms(c)
    width = quotient(c, hidden, heads)
    if second:
        width = c.optional_int("attention_head_size", minimum=1) or width
    common: dict[str, Any] = {
        "query_heads": heads,
        "kv_heads": heads,
        "head_dim": width,
        "mask": BIDIRECTIONAL,
        "dropout": c.number("attention_probs_dropout_prob") or 0.0,
    }
    if second and not relative:
        return Attention(biases=QKVO, **common)
    first: list[Biased] = ["query", "value", "output"]
    return DisentangledAttention(
        biases=QKVO if second else first,
        packing="separate" if second else "qkv",
        input_size=hidden,
        span=_span(c, second=second),
        terms=terms if relative else [],
        span_follows_length=not second,
        shared_maps=second and c.flag("share_att_key"),
        position_key_bias=second,
        talking_heads=not second and c.flag("talking_head"),
        **common,
    )


def _terms(c: Settings) -> list[Any]:
    """`pos_att_type`: a list, or names joined by `|`."""
    given = c.raw("pos_att_type", noted=False)
    names = given.lower().split("|") if isinstance(given, str) else given or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise c.refuse("pos_att_type", "pos_att_type is no list of names", help='["c2p", "p2c"]')
    given_terms = [name.strip() for name in names]
    return [term for term in ("c2p", "p2c") if term in given_terms]


def _span(c: Settings, *, second: bool) -> int:
    """Half the rows of the table: the buckets where there are any, else the longest distance, else the longest sequence."""
    buckets = c.raw("position_buckets", noted=False) if second else None
    if isinstance(buckets, int) and buckets > 0:
        return buckets
    far = c.raw("max_relative_positions", noted=False)
    return far if isinstance(far, int) and far > 0 else c.int("max_position_embeddings")


def _relative(c: Settings, hidden: int, *, second: bool) -> list[Projection]:
    """The table of relative positions, and a norm of it where `norm_rel_ebd` asks for one."""
    pieces = []
    if c.flag("relative_attention"):
        shape = [2 * _span(c, second=second), hidden]
        pieces.append(Projection(name="relative_positions", shape=shape, multiplies=False, component="position_embedding"))
    if second and "layer_norm" in [word.strip() for word in (c.text("norm_rel_ebd") or "none").lower().split("|")]:
        pieces.append(Projection(name="relative_norm", shape=[hidden], multiplies=False, bias=True, component="norm"))
    return pieces


def _convolution(c: Settings, hidden: int) -> list[Projection]:
    """A convolution over the embedded tokens, added to the first layer's output. Raises Refused XF118 for an even kernel."""
    kernel = c.optional_int("conv_kernel_size") or 0
    if not kernel:
        return []
    groups = c.optional_int("conv_groups", minimum=1) or 1
    if kernel % 2 == 0 or hidden % groups:
        raise c.refuse(
            "conv_kernel_size", f"a kernel of {kernel} in {groups} groups does not keep {hidden} channels and the length", code="XF118"
        )
    return [
        Projection(name="convolution", shape=[hidden, hidden // groups, kernel], bias=True, component="convolution"),
        Projection(name="convolution_norm", shape=[hidden], multiplies=False, bias=True, component="norm"),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a DeBERTa checkpoint."""
    return model(a, NAMES[a.naming or "deberta-v2"])
