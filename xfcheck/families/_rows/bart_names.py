"""The names of BART and of the encoder-decoders after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import model
from .names import Names

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from ...ledger import Row

BART = Names(
    {
        "embedding": "model.shared",
        "encoder:stack_embedding": "model.encoder.embed_tokens",
        "decoder:stack_embedding": "model.decoder.embed_tokens",
        "encoder:positions": "model.encoder.embed_positions",
        "decoder:positions": "model.decoder.embed_positions",
        "encoder:embedding_norm": "model.encoder.layernorm_embedding",
        "decoder:embedding_norm": "model.decoder.layernorm_embedding",
        "encoder:layer": "model.encoder.layers.{layer}.",
        "decoder:layer": "model.decoder.layers.{layer}.",
        "encoder:final_norm": "model.encoder.layer_norm",
        "decoder:final_norm": "model.decoder.layer_norm",
        "attention.norm": "self_attn_layer_norm",
        "attention.norm_residual": "self_attn_layer_norm",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.out_proj",
        "cross_attention.norm": "encoder_attn_layer_norm",
        "cross_attention.norm_residual": "encoder_attn_layer_norm",
        "cross_attention.query": "encoder_attn.q_proj",
        "cross_attention.key": "encoder_attn.k_proj",
        "cross_attention.value": "encoder_attn.v_proj",
        "cross_attention.output": "encoder_attn.out_proj",
        "feed_forward.norm": "final_layer_norm",
        "feed_forward.norm_residual": "final_layer_norm",
        "mlp.up": "fc1",
        "mlp.down": "fc2",
        "head": "lm_head",
        "logits_bias": "final_logits_bias!",
        "pooler": "classification_head.dense",
        "classifier": "classification_head.out_proj",
        "question_answering:classifier": "qa_outputs",
    },
    base_prefix="model.",
)
"""Both stacks of one model; the shared table has a name in each of them too."""


def bart_rows(a: Architecture, names: Names = BART) -> list[Row]:
    """The rows of such a model; the decoder alone has its table under the decoder's name."""
    alone = len(a.stacks) == 1 and a.stacks[0].stream == "decoder"
    return model(a, names.but({"embedding": names.checkpoint["decoder:stack_embedding"]}) if alone else names)
