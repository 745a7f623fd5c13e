"""Names that the LFM2 models share."""

from __future__ import annotations

LFM2 = {
    "final_norm": "model.embedding_norm",
    "short_convolution.norm": "operator_norm",
    "short_convolution.in": "conv.in_proj",
    "short_convolution.conv": "conv.conv",
    "short_convolution.out": "conv.out_proj",
    "attention.norm": "operator_norm",
    "attention.output": "self_attn.out_proj",
    "attention.query_norm": "self_attn.q_layernorm",
    "attention.key_norm": "self_attn.k_layernorm",
    "feed_forward.norm": "ffn_norm",
    "mlp.gate": "feed_forward.w1",
    "mlp.up": "feed_forward.w3",
    "mlp.down": "feed_forward.w2",
    "moe.router": "feed_forward.gate",
    "moe.correction": "feed_forward.expert_bias!",
    "moe.expert.gate": "feed_forward.experts.{expert}.w1",
    "moe.expert.up": "feed_forward.experts.{expert}.w3",
    "moe.expert.down": "feed_forward.experts.{expert}.w2",
}
"""Checkpoint names; the final norm is called after the embedding."""

LFM2_MODULES = {
    "moe.expert.gate": "feed_forward.experts.gate_up_proj!",
    "moe.expert.up": "feed_forward.experts.gate_up_proj!",
    "moe.expert.down": "feed_forward.experts.down_proj!",
}
"""Names of transformers' modules."""
