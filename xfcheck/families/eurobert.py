"""Llama's layers without the causal mask: EuroBERT (Boizard et al. 2025, arXiv 2503.05500) and ESM Cambrian."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Sublayer
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.norm import Norm
from ._read.decoder import QKVO, attention, gated, head_dim, rms
from ._read.encoder import Tasks, column, encoder_head, encoder_model
from ._read.rotary import rotary
from ._rows.encoder_names import DENSE, LM_HEAD
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Stack
    from ..architecture.model import Architecture
    from ..architecture.vocabulary import Head
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("eurobert", "esmc")

NAMES = {
    "eurobert": LLAMA.but({"classifier": "classifier", "classifier_dense": "dense"}),
    "esmc": LLAMA.but(
        {
            "embedding": "esmc.embed_tokens",
            "layer": "esmc.layers.{layer}.",
            "final_norm": "esmc.norm",
            **{key: name for key, name in LM_HEAD.items() if key != "head_bias"},
            **DENSE,
        },
        base_prefix="esmc.",
    ),
}


def architecture(c: Settings) -> Architecture:
    """Pre-norm encoder with a gated feed-forward. ESM Cambrian has layer norms, also over all of query and of key, and never ties."""
    proteins = c.table is not None and c.table.model_type == "esmc"
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    norm = Norm(kind="layer", bias=True) if proteins else rms(c)
    last = Norm(kind="layer", bias=False) if proteins else norm
    wide = Norm(kind="layer", bias=False, size=hidden) if proteins else None
    biases = QKVO if c.flag("attention_bias") else []
    mixer = attention(
        c, hidden, mask=BIDIRECTIONAL, position=rotary(c, head_dim(c, hidden, heads)), biases=biases, query_norm=wide, key_norm=wide
    )
    steps = [
        Sublayer(name="attention", mixers=[mixer], norm=norm),
        Sublayer(name="feed_forward", mixers=[gated(c, bias=c.flag("mlp_bias"))], norm=norm),
    ]
    stack = column(c, hidden, steps, embedding_norm=None, final_norm=last)
    return _proteins(c, stack) if proteins else _languages(c, stack)


def _languages(c: Settings, stack: Stack) -> Architecture:
    """EuroBERT: the scores' bias follows `mlp_bias`; late pooling classifies every token, the others one vector."""
    tasks = Tasks(pooled=(), transform=False)
    head = encoder_head(c, tasks, c.int("vocab_size"))
    pieces = []
    if head.rows:
        head = head.model_copy(update={"bias": c.flag("mlp_bias")})
    if head.kind == "sequence_classification":
        once = c.text("classifier_pooling") != "late"
        head = head.model_copy(update={"per_sequence": once})
        shape = [stack.hidden_size, stack.hidden_size]
        pieces.append(Projection(name="classifier_dense", shape=shape, bias=True, component="head", stream="pooled" if once else None))
    return encoder_model(c, stack, tasks, naming="eurobert", types=0, projections=pieces, head=head)


def _proteins(c: Settings, stack: Stack) -> Architecture:
    """ESM Cambrian: an untied head of two layers."""
    tasks = Tasks(pooled=(), dense=("sequence_classification",), bias_apart=False)
    made = encoder_head(c, tasks, c.int("vocab_size"))
    norm = Norm(kind="layer", bias=True)
    head: Head = made.model_copy(update={"tied": False, "transform_norm": norm if made.transform else None})
    return encoder_model(c, stack, tasks, naming="esmc", types=0, head=head)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES[a.naming or "eurobert"])
