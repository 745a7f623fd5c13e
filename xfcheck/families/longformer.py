"""Longformer (Beltagy et al. 2020, arXiv 2004.05150): RoBERTa with windowed attention and tokens that see all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Padding, Sublayer
from ..architecture.masks import Mask
from ..architecture.mixers.longformer_attention import LongformerAttention
from ._read.decoder import QKVO, layer_norm, quotient
from ._read.encoder import ROBERTA_TASKS, column, encoder_head, encoder_model, feed_forward, learned, pad_offset
from ._read.layers import depth
from ._rows.encoder_names import DENSE, LM_HEAD, bert_names
from ._rows.model import model
from .led import windows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("longformer",)

PARTS = ("query", "key", "value", "query_global", "key_global", "value_global")
NAMES = bert_names(
    "longformer",
    DENSE,
    {f"longformer_attention.{part}": f"attention.self.{part}" for part in PARTS},
    {"longformer_attention.output": "attention.output.dense"},
    head=LM_HEAD,
)


def architecture(c: Settings) -> Architecture:
    """Sequences are filled up to a multiple of the widest window. The classifier of sequences marks the first token as seeing all."""
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c), c.int("num_attention_heads")
    head = encoder_head(c, ROBERTA_TASKS, c.int("vocab_size"))
    marked = int(head.kind == "sequence_classification")
    if head.kind in ("question_answering", "multiple_choice"):
        c.assume("architectures", head.kind, "its question's tokens see all, as many as there are: counted without any", estimated=True)
    held = windows(c, depth(c))
    blocks = []
    for window, layers in held.items():
        mixer = LongformerAttention(
            query_heads=heads,
            kv_heads=heads,
            head_dim=quotient(c, hidden, heads),
            biases=QKVO,
            mask=Mask(kind="local", window=window // 2, global_tokens=marked),
            dropout=c.number("attention_probs_dropout_prob") or 0.0,
        )
        steps = [
            Sublayer(name="attention", mixers=[mixer], norm_residual=norm),
            Sublayer(name="feed_forward", mixers=[feed_forward(c)], norm_residual=norm),
        ]
        blocks.append(Block(name=f"window_{window}", layers=layers, sublayers=steps))
    stack = column(c, hidden, [], embedding_norm=norm).model_copy(
        update={"blocks": blocks, "padding": Padding(multiple=max(held, default=1))}
    )
    head = head.model_copy(update={"stream": "given"})
    return encoder_model(c, stack, ROBERTA_TASKS, position=learned(c, offset=pad_offset(c)), head=head)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Longformer checkpoint."""
    return model(a, NAMES)
