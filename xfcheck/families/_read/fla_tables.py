"""Config classes of flash-linear-attention 0.6.0 (fla/models of fla-org/flash-linear-attention): keys and their defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .published import published

if TYPE_CHECKING:
    from .._classes import ClassTable

SIZES: dict[str, Any] = {
    "hidden_size": 2048,
    "num_hidden_layers": 24,
    "hidden_ratio": 4,
    "intermediate_size": None,
    "num_kv_heads": None,
    "norm_eps": 1e-6,
    "elementwise_affine": True,
    "max_position_embeddings": 2048,
    "attn": None,
    "attnres_block_size": None,
    "vocab_size": 32000,
    "tie_word_embeddings": False,
}
SOFT: dict[str, Any] = {"num_heads": 32, "qkv_bias": False, "qk_norm": False, "window_size": None}
CONV: dict[str, Any] = {"use_short_conv": False, "conv_size": 4}
DELTA: dict[str, Any] = {"num_hidden_layers": 21, "num_heads": 6, "num_v_heads": None, "head_dim": 256, "expand_v": 2, "conv_size": 4}


def _class(model_type: str, class_name: str, **own: Any) -> ClassTable:
    return published(
        model_type,
        f"{class_name}Config",
        f"fla/models/{model_type} of fla-org/flash-linear-attention",
        defaults=SIZES | own,
        aliases={"num_attention_heads": "num_heads", "num_key_value_heads": "num_kv_heads"},
        models={f"{class_name}ForCausalLM": "causal", f"{class_name}Model": "base"},
    )


TABLES = {
    "transformer": _class("transformer", "Transformer", **SOFT),
    "stickbreaking_attn": _class("stickbreaking_attn", "StickBreakingAttention", **SOFT),
    "forgetting_transformer": _class("forgetting_transformer", "ForgettingTransformer", **SOFT, use_output_gate=False),
    "moba": _class("moba", "MoBA", **SOFT, use_output_gate=False, moba_chunk_size=256, moba_topk=4),
    "nsa": _class("nsa", "NSA", **SOFT | {"num_heads": 64, "num_kv_heads": 4, "head_dim": 32, "window_size": 512}),
    "deltaformer": _class("deltaformer", "DeltaFormer", **SOFT | {"num_heads": 8}),
    "path_attn": _class(
        "path_attn", "PaTHAttention", **SOFT, use_forget_gate=False, use_low_rank_w=True, use_w_shortconv=True
    ),
    "mla": _class(
        "mla", "MLA", num_heads=16, q_lora_rank=64, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, qk_head_dim=192,
        v_head_dim=128, window_size=None,
    ),
    "raven": _class(
        "raven", "Raven", num_heads=4, num_slots=64, expand_k=1, expand_v=1, use_output_gate=False, feature_map="swish",
        decay_type="Mamba2", bias_rmm=False, router_type="lin",
    ),
    "gla": _class("gla", "GLA", **CONV, num_heads=4, expand_k=0.5, expand_v=1, use_output_gate=True),
    "gsa": _class("gsa", "GSA", **CONV, num_heads=4, num_slots=64),
    "abc": _class("abc", "ABC", **CONV, num_heads=4, num_slots=64, expand_k=0.5, expand_v=1),
    "delta_net": _class(
        "delta_net", "DeltaNet", **CONV | {"use_short_conv": True}, num_heads=16, expand_k=1, expand_v=1, use_gate=False, use_beta=True
    ),
    "gated_deltanet": _class("gated_deltanet", "GatedDeltaNet", **DELTA, use_gate=True, use_short_conv=True),
    "gated_deltaproduct": _class(
        "gated_deltaproduct", "GatedDeltaProduct", **DELTA, use_output_gate=True, use_short_conv=True, use_forget_gate=False,
        num_householder=1,
    ),
    "comba": _class("comba", "Comba", **DELTA, use_output_gate=True, use_short_conv=True),
    "kda": _class(
        "kda", "KDA", **DELTA | {"num_hidden_layers": 24, "num_heads": 16, "head_dim": 128, "expand_v": 1}, use_short_conv=True
    ),
    "mesa_net": _class("mesa_net", "MesaNet", num_heads=16, head_dim=128, use_output_gate=False, use_short_conv=True, conv_size=4),
    "retnet": _class("retnet", "RetNet", num_heads=8, expand_k=1, expand_v=2, hidden_ratio=2, use_output_gate=True),
    "linear_attn": _class(
        "linear_attn", "LinearAttention", num_heads=4, expand_k=1, expand_v=1, feature_map="elementwise_product", tie_feature_map_qk=False
    ),
    "hgrn": _class("hgrn", "HGRN", **CONV, num_heads=None, expand_ratio=1, use_lower_bound=True),
    "hgrn2": _class("hgrn2", "HGRN2", **CONV, num_heads=None, expand_ratio=128, use_lower_bound=True),
    "lightnet": _class("lightnet", "LightNet", **CONV, num_heads=None, expand_ratio=128, gate_low_rank_dim=128),
    "samba": _class(
        "samba",
        "Samba",
        hidden_size=2304,
        num_hidden_layers=18,
        state_size=16,
        expand=2,
        conv_kernel=4,
        use_bias=False,
        use_conv_bias=True,
        time_step_rank="auto",
        hidden_act="swish",
        norm_eps=1e-5,
    ),
}  # fmt: skip
"""Model type -> its class."""
