"""Names of Inkling 2: a checkpoint's and those of transformers' modules, which differ throughout."""

from __future__ import annotations

from .names import Names

CONTROLLERS = {"query": ("attn", "q"), "key": ("k", "k"), "value": ("v", "v"), "forward": ("mlp", "mlp")}
"""A gate of messages -> its name in a checkpoint and in a module."""

GATE = {"down": ("down_weight", "down_proj"), "forget": ("forget_weight", "forget_gate_proj"), "gain": ("gain_weight", "message_gate_proj")}

_SHARED = {
    "attention.query": ("attn.wq_du", "self_attn.q_proj.linear"),
    "attention.key": ("attn.wk_dv", "self_attn.k_proj.linear"),
    "attention.value": ("attn.wv_dv", "self_attn.v_proj.linear"),
    "attention.gate": ("attn.gate_attn", "self_attn.o_proj.gate_proj"),
    "attention.output": ("attn.wo_ud", "self_attn.o_proj.linear"),
    "attention.norm": ("attn_norm", "input_layernorm"),
    "full.norm": ("q_input_norm", "q_input_layernorm"),
    "full.key_norm": ("k_input_norm", "k_input_layernorm"),
    "full.value_norm": ("v_input_norm", "v_input_layernorm"),
    "key_filter.conv": ("attn.k_sconv", "self_attn.k_proj.sconv.conv1d"),
    "value_filter.conv": ("attn.v_sconv", "self_attn.v_proj.sconv.conv1d"),
    "key_filter.static": ("attn.k_sconv.static_w!", "self_attn.k_proj.sconv.static_weight!"),
    "value_filter.static": ("attn.v_sconv.static_w!", "self_attn.v_proj.sconv.static_weight!"),
    "key_filter.taps": ("attn.k_sconv.weight_proj!", "self_attn.k_proj.sconv.weight_proj"),
    "value_filter.taps": ("attn.v_sconv.weight_proj!", "self_attn.v_proj.sconv.weight_proj"),
    "attention_filter.conv": ("attn_sconv", "post_attention_convolution.conv1d"),
    "forward_filter.conv": ("mlp_sconv", "post_mlp_convolution.conv1d"),
    "feed_forward.norm": ("mlp_norm", "post_attention_layernorm"),
    "moe.router": ("mlp.gate", "mlp.gate"),
    "moe.correction": ("mlp.gate.bias!", "mlp.gate.e_score_correction_bias!"),
    "moe.expert.gate_up": ("mlp.experts.w13_weight!", "mlp.experts.gate_up_proj!"),
    "moe.expert.down": ("mlp.experts.w2_weight!", "mlp.experts.down_proj!"),
}

_AROUND = {
    "query_scale": ("attn.q_l2_clip.scale!", "self_attn.q_proj.norm.scale!"),
    "sinks": ("attn.attn_sink_proj", "self_attn.sink_proj"),
    "relative": ("attn.wr_du", "self_attn.relative_position_bias.linear"),
    "relative_scale": ("attn.rel_l2_clip.scale!", "self_attn.relative_position_bias.norm.scale!"),
    "profiles": ("attn.rel_logits_proj.proj!", "self_attn.relative_position_bias.proj!"),
}

_PAIRS = {
    "embedding": ("model.llm.embed", "model.embed_tokens"),
    "embedding_norm": ("model.llm.embed_norm", "model.embed_tokens.embed_norm"),
    "layer": ("model.llm.layers.{layer}.", "model.layers.{layer}."),
    "final_norm": ("model.llm.norm", "model.norm"),
    "head": ("model.llm.unembed", "lm_head"),
    **_SHARED,
    **{f"{kind}.{part}": pair for kind in ("attention", "full") for part, pair in _AROUND.items()},
    "attention_queries": ("model.llm.attn_res.attn_queries.{number}!", "model.layers.{number}.attention_input.query!"),
    "forward_queries": ("model.llm.attn_res.mlp_queries.{number}!", "model.layers.{number}.mlp_input.query!"),
    "output_query": ("model.llm.attn_res.output_query!", "model.final_input.query!"),
    "message_queries": ("model.llm.middle_cycle_cross_pass_queries!", "model.message_input.query!"),
    "message_key_queries": ("model.llm.middle_cycle_cross_pass_kv_queries!", "model.message_input.query!"),
    **{
        f"{part}_{what}": (
            f"model.llm.layers.{{number}}.controllers.{disk}.{leaf}!",
            f"model.layers.{{number}}.{module}_message_gate.{inner}",
        )
        for part, (disk, module) in CONTROLLERS.items()
        for what, (leaf, inner) in GATE.items()
    },
}

INKLING2 = Names(
    {key: pair[0] for key, pair in _PAIRS.items()},
    {key: pair[1] for key, pair in _PAIRS.items()},
    base_prefix="model.llm.",
    module_prefix="model.",
)
"""Both namings of one model."""
