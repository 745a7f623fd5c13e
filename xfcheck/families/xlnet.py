"""XLNet (Yang et al. 2019, arXiv 1906.08237): relative positions and a memory of hidden states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Sublayer
from ..architecture.masks import BIDIRECTIONAL, CAUSAL
from ..architecture.mixers.memory_attention import MemoryAttention
from ._read.decoder import layer_norm, quotient
from ._read.encoder import Tasks, column, encoder_head, encoder_model, feed_forward, sequence_summary, span_head
from ._read.head import architecture_name
from ._rows.encoder_names import span_names
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("xlnet",)

PARTS = {
    "query": "q",
    "key": "k",
    "value": "v",
    "output": "o",
    "position_key": "r",
    "position_bias": "r_r_bias",
    "segment_bias": "r_s_bias",
    "content_bias": "r_w_bias",
    "segments": "seg_embed",
}
NAMES = Names(
    {
        "embedding": "transformer.word_embedding",
        "mask_vector": "transformer.mask_emb!",
        "layer": "transformer.layer.{layer}.",
        **{f"memory_attention.{part}": f"rel_attn.{name}!" for part, name in PARTS.items()},
        "attention.norm_residual": "rel_attn.layer_norm",
        "mlp.up": "ff.layer_1",
        "mlp.down": "ff.layer_2",
        "feed_forward.norm_residual": "ff.layer_norm",
        "head": "lm_loss",
        "classifier": "classifier",
        "sequence_classification:classifier": "logits_proj",
        "multiple_choice:classifier": "logits_proj",
        "question_answering:classifier": "qa_outputs",
        "summary": "sequence_summary.summary",
        **span_names(),
    },
    base_prefix="transformer.",
)
TASKS = Tasks(pooled=(), default="causal", transform=False, bias_apart=False)


def architecture(c: Settings) -> Architecture:
    """One stream of content, as without `target_mapping`; every pass keeps the layers' inputs where `use_mems_eval` says so."""
    hidden, norm, heads = c.int("d_model"), layer_norm(c), c.int("n_head")
    memory, kind = c.optional_int("mem_len") or None, c.text("attn_type") or "bi"
    if kind not in ("bi", "uni"):
        raise c.refuse("attn_type", f"attn_type is {kind!r}", code="XF118", help="bi or uni")
    width = quotient(c, hidden, heads)
    given = c.optional_int("d_head")
    if given not in (None, 0, width):
        raise c.refuse("d_head", f"d_head is {given}, d_model / n_head is {width}", code="XF118")
    if c.optional_int("reuse_len") is not None:
        c.assume(
            "reuse_len",
            c.optional_int("reuse_len"),
            "the memory of a pass that reuses its beginning alone is counted whole",
            estimated=True,
        )
    attention = MemoryAttention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=width,
        input_size=hidden,
        mask=BIDIRECTIONAL if kind == "bi" else CAUSAL,
        memory=memory,
        cached=c.flag("use_mems_eval"),
        dropout=c.number("dropout") or 0.0,
    )
    steps = [
        Sublayer(name="attention", mixers=[attention], norm_residual=norm),
        Sublayer(name="feed_forward", mixers=[feed_forward(c, key="d_inner", activation="ff_activation")], norm_residual=norm),
    ]
    stack = column(c, hidden, steps, embedding_norm=None)
    head = encoder_head(c, TASKS, c.int("vocab_size"))
    pieces = [Projection(name="mask_vector", shape=[1, 1, hidden], multiplies=False, component="token_embedding")]
    if head.kind in ("sequence_classification", "multiple_choice"):
        pieces += sequence_summary(c, hidden)
    if architecture_name(c) == "XLNetForQuestionAnswering":
        head = head.model_copy(update={"kind": "other", "labels": 0})
        pieces += span_head(c, hidden)
    return encoder_model(c, stack, TASKS, types=0, projections=pieces, head=head)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an XLNet checkpoint."""
    return model(a, NAMES)
