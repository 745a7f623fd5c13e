"""The names of T5 and of the encoder-decoders after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import model
from .names import Names

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row

T5 = Names(
    {
        "embedding": "shared",
        "encoder:stack_embedding": "encoder.embed_tokens",
        "decoder:stack_embedding": "decoder.embed_tokens",
        "encoder:layer": "encoder.block.{layer}.layer.",
        "decoder:layer": "decoder.block.{layer}.layer.",
        "encoder:final_norm": "encoder.final_layer_norm",
        "decoder:final_norm": "decoder.final_layer_norm",
        "attention.norm": "0.layer_norm",
        "attention.query": "0.SelfAttention.q",
        "attention.key": "0.SelfAttention.k",
        "attention.value": "0.SelfAttention.v",
        "attention.output": "0.SelfAttention.o",
        "attention.relative_bias": "0.SelfAttention.relative_attention_bias",
        "cross_attention.norm": "1.layer_norm",
        "cross_attention.query": "1.EncDecAttention.q",
        "cross_attention.key": "1.EncDecAttention.k",
        "cross_attention.value": "1.EncDecAttention.v",
        "cross_attention.output": "1.EncDecAttention.o",
        "encoder:feed_forward.norm": "1.layer_norm",
        "decoder:feed_forward.norm": "2.layer_norm",
        "encoder:mlp.gate": "1.DenseReluDense.wi_0",
        "encoder:mlp.up": "1.DenseReluDense.wi_1",
        "encoder:mlp.down": "1.DenseReluDense.wo",
        "decoder:mlp.gate": "2.DenseReluDense.wi_0",
        "decoder:mlp.up": "2.DenseReluDense.wi_1",
        "decoder:mlp.down": "2.DenseReluDense.wo",
    },
    base_prefix="",
)
"""Both stacks of the bare model, gated feed-forward networks."""

PLAIN = {"encoder:mlp.up": "1.DenseReluDense.wi", "decoder:mlp.up": "2.DenseReluDense.wi"}
"""What differs without a gate."""

WHOLE = ("embedding", "stack_embedding", "layer", "final_norm")
"""Keys whose names are whole ones; the others follow the prefix of a layer."""

HEADS = {
    "head": "lm_head",
    "pooler": "classification_head.dense",
    "classifier": "classification_head.out_proj",
    "token_classification:classifier": "classifier",
    "question_answering:classifier": "qa_outputs",
}
"""Heads stand beside the model, whatever it is called."""


def t5_rows(a: Architecture, names: Names = T5) -> list[Row]:
    """The rows of such a model; classifiers hold it under `transformer`, the one of questions and the scores of words do not."""
    forward = [mixer for stack in a.stacks for block in stack.blocks for mixer in block.sublayers[-1].mixers]
    gated = any(getattr(mixer, "gated", False) for mixer in forward)
    held = names if gated else names.but({key: name for key, name in PLAIN.items() if names.checkpoint[key] == T5.checkpoint[key]})
    if a.head.kind in ("sequence_classification", "token_classification"):
        held = held.but({key: f"transformer.{name}" for key, name in held.checkpoint.items() if key.rpartition(":")[2] in WHOLE})
    return model(a, held.but(HEADS))
