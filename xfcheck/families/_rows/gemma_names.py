"""Names of the newer Gemma models' tensors."""

from __future__ import annotations

from .names import LLAMA

GEMMA = LLAMA.but(
    {
        "attention.norm_after": "post_attention_layernorm",
        "feed_forward.norm": "pre_feedforward_layernorm",
        "feed_forward.norm_after": "post_feedforward_layernorm",
        "per_layer_embedding": "model.embed_tokens_per_layer",
        "per_layer_model_projection": "model.per_layer_model_projection",
        "per_layer_projection_norm": "model.per_layer_projection_norm",
        "per_layer_gate": "per_layer_input_gate",
        "per_layer_projection": "per_layer_projection",
        "per_layer_norm": "post_per_layer_input_norm",
    }
)
"""Four norms a layer, and the embeddings a layer."""

GEMMA3N = GEMMA.but(
    {
        "altup_scale": "altup.correct_output_scale!",
        "altup_correction": "altup.correction_coefs",
        "altup_prediction": "altup.prediction_coefs",
        "altup_router": "altup.modality_router",
        "altup_router_norm": "altup.router_norm",
        "laurel_left": "laurel.linear_left",
        "laurel_right": "laurel.linear_right",
        "laurel_norm": "laurel.post_laurel_norm",
    }
)

GEMMA4 = GEMMA.but(
    {
        "layer_scale": "layer_scalar!",
        "feed_forward.mlp_norm_after": "post_feedforward_layernorm_1",
        "feed_forward.moe_norm_after": "post_feedforward_layernorm_2",
        "feed_forward.moe_norm": "pre_feedforward_layernorm_2",
        "feed_forward.router_scale": "router.scale!",
        "feed_forward.router_expert_scale": "router.per_expert_scale!",
        "moe.router": "router.proj",
        "moe.expert.gate_up": "experts.gate_up_proj!",
        "moe.expert.down": "experts.down_proj!",
        "before": "pre_projection",
        "after": "post_projection",
        "centroids": "masked_embedding.centroids",
        "ordering": "masked_embedding.token_ordering!",
    },
    {"moe.expert.down": "experts.down_proj!"},
)
