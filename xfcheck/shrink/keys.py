"""What the size keys of configs and of model descriptions are: which of them shrink together."""

from __future__ import annotations

DEPTHS = frozenset(
    [
        "num_hidden_layers",
        "n_layer",
        "n_layers",
        "num_layers",
        "num_decoder_layers",
        "decoder_num_hidden_layers",
        "decoder_layers",
        "encoder_layers",
        "num_encoder_layers",
        "layers",
        "depth",
    ]
)
"""Numbers of layers."""

PATTERNS = ("hybrid_override_pattern", "layers_block_type")
"""Lists that decide alone how many layers there are, where no number stands beside them."""

HEADS = frozenset(
    [
        "num_attention_heads",
        "n_head",
        "n_heads",
        "num_heads",
        "attention_heads",
        "encoder_attention_heads",
        "decoder_attention_heads",
        "num_encoder_attention_heads",
        "num_decoder_attention_heads",
        "decoder_num_attention_heads",
        "num_key_value_heads",
        "swa_num_attention_heads",
        "swa_num_key_value_heads",
        "num_kv_heads",
        "n_head_kv",
        "index_n_heads",
        "mamba_n_heads",
        "mamba_num_heads",
        "n_groups",
        "mamba_n_groups",
        "mamba_ngroups",
        "linear_num_key_heads",
        "linear_num_value_heads",
        "linear_num_heads",
        "num_global_key_value_heads",
        "kv_n_heads",
        "multi_query_group_num",
        "query_heads",
        "kv_heads",
        "heads",
        "key_heads",
        "value_heads",
    ]
)
"""Numbers of heads, and of the groups that Mamba-2 shares them out to; one of 1 stays."""

HEAD_DIMS = frozenset(
    [
        "head_dim",
        "kv_channels",
        "swa_head_dim",
        "d_kv",
        "qk_nope_head_dim",
        "qk_rope_head_dim",
        "qk_head_dim",
        "v_head_dim",
        "swa_v_head_dim",
        "swa_qk_nope_head_dim",
        "index_head_dim",
        "mamba_d_head",
        "mamba_head_dim",
        "linear_key_head_dim",
        "linear_value_head_dim",
        "linear_head_dim",
        "global_head_dim",
        "attention_head_dim",
        "rotary_dim",
        "value_dim",
        "attention_head_size",
        "d_head",
        "dim_head",
        "cross_head_dim",
        "key_dim",
        "nope_dim",
        "rope_dim",
    ]
)
"""Widths of a head."""

WIDTHS = frozenset(
    [
        "hidden_size",
        "d_model",
        "n_embd",
        "dim",
        "emb_dim",
        "embed_dim",
        "intermediate_size",
        "n_inner",
        "ffn_dim",
        "d_ff",
        "hidden_dim",
        "dff",
        "dim_ff",
        "d_inner",
        "ffn_hidden_size",
        "feed_forward_size",
        "encoder_ffn_dim",
        "decoder_ffn_dim",
        "decoder_intermediate_size",
        "moe_intermediate_size",
        "shared_expert_intermediate_size",
        "moe_shared_expert_intermediate_size",
        "shared_experts_intermediate_size",
        "shared_intermediate_size",
        "expert_ffn_hidden_size",
        "dense_intermediate_size",
        "prefix_dense_intermediate_size",
        "intermediate_size_mlp",
        "q_lora_rank",
        "kv_lora_rank",
        "swa_q_lora_rank",
        "swa_kv_lora_rank",
        "o_lora_rank",
        "embedding_size",
        "word_embed_proj_dim",
        "embedding_dim",
        "mamba_d_ssm",
        "mamba_dt_rank",
        "time_step_rank",
        "attention_hidden_size",
        "hidden_size_per_layer_input",
        "laurel_rank",
        "moe_latent_size",
        "adapter_rank",
        "lru_width",
        "conv_dim",
        "block_ff_dim",
        "inner_size",
        "query_rank",
        "kv_rank",
        "rank",
        "channels",
        "width",
        "input_size",
        "output_size",
        "size",
        "memory_size",
        "num_filters",
        "n_filters",
        "ext_pw_out_channel",
        "depthwise_separable_out_channel",
        "nemo_conv_channels",
        "axial_pos_embds_dim",
        "input_embedding_size",
        "output_embedding_size",
        "shape_embed_dim",
        "pronunciation_embed_dim",
        "entity_emb_size",
        "share_expert_dim",
        "router_hidden_size",
        "encoder_hidden_size",
        "decoder_hidden_size",
        "hidden_size_global",
        "projection_dim",
        "projection_hidden_size",
        "projection_intermediate_size",
        "alignment_intermediate_size",
        "projector_hidden_size",
        "adapter_in_dim",
        "adapter_out_dim",
        "adapter_input_size",
        "downsample_hidden_size",
        "out_hidden_size",
        "output_dim",
        "text_hidden_size",
        "vision_output_dim",
        "projector_input_dim",
        "projector_output_dim",
        "embedding_rank",
        "prediction_head_size",
        "intra_bottleneck_size",
        "loop_gate_rank",
        "hc_lowrank",
        "d_latents",
        "backbone_hidden_size",
        "audio_hidden_size",
        "embedding_rank",
        "alignment_intermediate_size",
        "keys",
        "values",
    ]
)
"""Widths that go with the residual stream."""

CAPPED = {
    **dict.fromkeys(
        [
            "sliding_window",
            "sliding_window_size",
            "attention_window_size",
            "window_size",
            "local_attention",
            "attention_chunk_size",
            "window",
            "attention_window",
            "local_attention_window_len",
        ],
        8,
    ),
    "rel_extent": 8,
    **dict.fromkeys(["mamba_d_state", "ssm_state_size", "state_size", "d_state"], 8),
    **dict.fromkeys(["chunk_size", "mamba_chunk_size", "block_size", "chunk", "block"], 16),
    **dict.fromkeys(["index_topk", "top_k"], 8),
    **dict.fromkeys(
        [
            "max_position_embeddings",
            "n_positions",
            "n_ctx",
            "max_target_positions",
            "context_length",
            "max_seq_len",
            "max_sequence_length",
            "max_encoder_position_embeddings",
            "max_decoder_position_embeddings",
            "original_max_position_embeddings",
            "maximum_positions",
            "original_length",
        ],
        512,
    ),
}
"""Lengths in tokens, states: no more than this."""

VOCABULARIES = frozenset(
    [
        "vocab_size",
        "unpadded_vocab_size",
        "vocab_size_per_layer_input",
        "decoder_vocab_size",
        "src_vocab_size",
        "tgt_vocab_size",
        "shape_vocab_size",
        "pronunciation_vocab_size",
        "entity_vocab_size",
        "encoder_hash_byte_group_vocab",
        "text_vocab_size",
    ]
)
"""Rows of tables of tokens."""

EXPERTS = frozenset(
    [
        "num_experts",
        "num_local_experts",
        "n_routed_experts",
        "moe_num_experts",
        "experts",
        "num_routed_experts",
    ]
)
CHOSEN = frozenset(
    [
        "num_experts_per_tok",
        "moe_topk",
        "moe_k",
        "moe_top_k",
        "top_k_experts",
        "num_experts_per_token",
        "experts_per_token",
    ]
)
"""Experts, and how many of them serve a token."""

IDS = ("_token_id", "_index")
"""Endings of keys that hold token ids, which must stay below the vocabulary."""

PAIRS = frozenset(["mrope_section", "short_factor", "long_factor", "sections"])
"""Lists over the pairs of a head that turn."""

DROPPED = frozenset(["quantization_config", "compression_config"])
"""Blocks that say how big a published checkpoint is stored: they fit no small one."""
