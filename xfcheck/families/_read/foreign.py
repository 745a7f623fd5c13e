"""Sizes under the names that other tools give them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._classes import ClassTable

DEPTH, WIDTH, HEADS = "num_hidden_layers", "hidden_size", "num_attention_heads"
ESSENTIAL = (DEPTH, WIDTH, HEADS)

SPELLED: dict[str, tuple[str, ...]] = {
    WIDTH: ("d_model", "n_embd", "n_embed", "dim", "model_dim", "embed_dim", "emb_dim", "embedding_dim", "d_mod", "hidden_dim"),
    DEPTH: (
        "n_layer",
        "n_layers",
        "num_layers",
        "num_layer",
        "layer_num",
        "depth",
        "num_blocks",
        "n_blocks",
        "num_decoder_layers",
        "decoder_layers",
    ),
    HEADS: ("n_head", "n_heads", "num_heads", "attention_heads", "num_attn_heads", "head_num", "decoder_attention_heads"),
    "num_key_value_heads": (
        "n_kv_heads",
        "n_kv_head",
        "num_kv_heads",
        "n_head_kv",
        "kv_n_heads",
        "num_query_groups",
        "n_query_groups",
        "multi_query_group_num",
        "num_multi_query_heads",
        "attention_num_kv_heads",
    ),
    "head_dim": ("d_head", "kv_channels", "head_size", "attention_head_dim", "dim_head", "d_kv"),
    "intermediate_size": (
        "ffn_dim",
        "ffn_hidden_size",
        "n_inner",
        "d_ff",
        "inner_size",
        "inter_size",
        "inter_dim",
        "ffn_embed_dim",
        "ff_dim",
        "mlp_dim",
        "mlp_hidden_size",
        "feed_forward_hidden_size",
        "feedforward_dim",
        "ff_intermediate_size",
        "decoder_ffn_dim",
        "ffn_size",
        "hidden_dim",
    ),
    "vocab_size": ("padded_vocab_size", "n_vocab", "vocabulary_size", "num_embeddings", "embedding_size", "vocab_dim"),
    "max_position_embeddings": (
        "n_positions",
        "max_seq_len",
        "max_sequence_length",
        "max_seq_length",
        "seq_length",
        "n_ctx",
        "block_size",
        "context_length",
        "max_length",
    ),
    "num_experts": (
        "num_local_experts",
        "n_routed_experts",
        "moe_num_experts",
        "num_moe_experts",
        "n_experts",
        "num_routed_experts",
        "expert_num",
        "moe_num_primary_experts",
        "moe_experts",
    ),
    "num_experts_per_tok": (
        "moe_topk",
        "moe_top_k",
        "top_k_experts",
        "num_experts_per_token",
        "moe_router_topk",
        "router_top_k",
        "moe_k",
        "num_selected_experts",
        "n_activated_experts",
        "num_activated_experts",
        "moe_num_experts_per_tok",
        "moe_num_active_primary_experts",
        "experts_per_token",
    ),
    "moe_intermediate_size": (
        "expert_ffn_hidden_size",
        "moe_ffn_hidden_size",
        "expert_intermediate_size",
        "expert_dim",
        "moe_inter_dim",
        "moe_hidden_size",
        "expert_hidden_size",
        "routed_expert_intermediate_size",
    ),
    "num_shared_experts": ("n_shared_experts", "num_shared_expert", "moe_num_shared_experts", "shared_experts", "num_experts_shared"),
    "shared_expert_intermediate_size": (
        "moe_shared_expert_intermediate_size",
        "share_expert_dim",
        "shared_intermediate_size",
        "shared_expert_ffn_hidden_size",
    ),
    "first_k_dense_replace": ("num_dense_layers", "n_dense_layers", "first_dense_layers", "moe_first_k_dense_replace"),
    "rms_norm_eps": ("norm_eps", "norm_epsilon", "rms_eps", "layernorm_epsilon", "layernorm_eps"),
    "layer_norm_eps": ("layer_norm_epsilon", "ln_eps", "layernorm_epsilon", "layernorm_eps"),
    "tie_word_embeddings": ("tie_embeddings", "weight_tying", "tied_embeddings", "share_embeddings", "tie_weights"),
    "hidden_act": ("activation_function", "hidden_activation", "activation", "activation_type", "act_fn", "ffn_activation"),
    "rope_theta": ("rotary_emb_base", "rope_base", "rotary_base", "rope_embedding_base"),
    "state_size": ("d_state", "ssm_state_size", "mamba_d_state"),
    "conv_kernel": ("d_conv", "conv_size", "mamba_d_conv"),
}
"""The name most classes use -> what other classes and tools call the same size, the surer name first."""


def names(data: Mapping[str, Any]) -> dict[str, str]:
    """Other name -> usual name, as they stand in this file: `hidden_dim` is the inner width where the width has another name."""
    out: dict[str, str] = {}
    for usual, others in SPELLED.items():
        if data.get(usual) is not None:
            continue
        found = next((name for name in others if data.get(name) is not None and name not in out), None)
        if found is not None:
            out[found] = usual
    return out


def sized(data: Mapping[str, Any]) -> bool:
    """Whether an object gives a width and a depth under any name."""
    other = set(names(data).values())
    return all(data.get(key) is not None or key in other for key in (WIDTH, DEPTH))


def extended(table: ClassTable, aliases: Mapping[str, str]) -> ClassTable:
    """The table with more spellings."""
    return replace(table, aliases={**table.aliases, **aliases})


def read(data: Mapping[str, Any], table: ClassTable | None) -> Settings:
    """The settings of a config under its class, in which sizes under names that the class does not know are read all the same.

    Only where the file gives the depth, the width or the heads in no spelling of the class and in another tool's: transformers would take
    the class's own size without a word. Each size read so is an assumption, and the numbers are estimates.
    """
    plain = Settings(data, table)
    if table is None or all(not table.declares(key) or plain.has(key) for key in ESSENTIAL):
        return plain
    found = {
        name: usual for name, usual in names(data).items() if table.declares(usual) and not plain.has(usual) and not table.accepts(name)
    }
    if not any(usual in ESSENTIAL for usual in found.values()):
        return plain
    settings = Settings(data, extended(table, {name: table.canonical(usual) for name, usual in found.items()}))
    for name, usual in found.items():
        why = f"read as {usual}: {table.class_name} knows no such key, and {table.source} builds its own {usual} instead"
        settings.assume(name, data[name], why, estimated=True)
    for key in ESSENTIAL:
        if key not in found.values() and (own := plain.found(key)) is not None:
            settings.assume(own, data[own], f"read as {table.class_name} reads it, beside sizes that it does not read", estimated=True)
    return settings


def unasked(c: Settings) -> None:
    """Note sizes at the root that nothing was read of: a composite class takes its language model's from an object that the file lacks."""
    if c.pointer:
        return
    names_ = {key: (key, *SPELLED[key]) for key in (WIDTH, DEPTH)}
    given = {key: next((n for n in spelt if isinstance(c.data.get(n), int)), None) for key, spelt in names_.items()}
    if None in given.values() or any(f"/{n}" in c.reading.asked for spelt in names_.values() for n in spelt):
        return
    for name in given.values():
        c.assume(str(name), c.data[str(name)], "not read: the class takes the language model's sizes from a nested object", estimated=True)


def unread(c: Settings, *, known: Sequence[str] = ()) -> None:
    """Note the keys that the class of transformers does not know, where the file points to code that may; `known` are read elsewhere."""
    if c.table is None or not isinstance(c.data.get("auto_map"), dict):
        return
    for key, value in c.data.items():
        if (
            key not in ("auto_map", "quantization_config", *known)
            and isinstance(value, bool | int | dict)
            and value
            and not c.table.accepts(key)
        ):
            c.assume(
                key,
                None if isinstance(value, dict) else value,
                f"not counted: {c.table.class_name} knows no such key, custom code may",
                estimated=True,
            )
