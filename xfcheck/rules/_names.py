"""The names that config classes and other tools give to one dimension.

Source: the declared fields of the class tables (transformers 5.24.0), and the config keys of Megatron-LM, GPT-NeoX, ChatGLM, MPT,
llm-foundry and Llama's params.json, which files carry over.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..families._classes import ClassTable
    from ._context import Scope


class Dimension(NamedTuple):
    """A dimension: what to call it in a message, and its names. `size`: no model is complete without it."""

    label: str
    names: tuple[str, ...]
    size: bool = False


DIMENSIONS: dict[str, Dimension] = {
    "width": Dimension(
        "model width", ("hidden_size", "d_model", "n_embd", "n_embed", "dim", "dim_model", "emb_dim", "embed_dim", "model_dim"), size=True
    ),
    "depth": Dimension(
        "number of layers",
        (
            "num_hidden_layers",
            "n_layer",
            "n_layers",
            "num_layers",
            "layers",
            "encoder_layers",
            "decoder_layers",
            "num_encoder_layers",
            "num_decoder_layers",
            "encoder_num_hidden_layers",
            "decoder_num_hidden_layers",
        ),
        size=True,
    ),
    "heads": Dimension(
        "number of query heads",
        (
            "num_attention_heads",
            "n_head",
            "n_heads",
            "num_heads",
            "attention_heads",
            "encoder_attention_heads",
            "decoder_attention_heads",
            "num_encoder_attention_heads",
            "num_decoder_attention_heads",
            "encoder_num_attention_heads",
            "decoder_num_attention_heads",
        ),
        size=True,
    ),
    "kv_heads": Dimension(
        "number of key-value heads",
        (
            "num_key_value_heads",
            "num_kv_heads",
            "n_head_kv",
            "kv_n_heads",
            "n_kv_heads",
            "num_kv_attention_heads",
            "multi_query_group_num",
            "num_query_groups",
            "encoder_num_key_value_heads",
            "decoder_num_key_value_heads",
            "num_global_key_value_heads",
            "swa_num_key_value_heads",
        ),
    ),
    "head_dim": Dimension(
        "head width",
        (
            "head_dim",
            "d_kv",
            "kv_channels",
            "attention_head_dim",
            "attention_head_size",
            "d_head",
            "dim_head",
            "head_size",
            "size_per_head",
            "swa_head_dim",
            "global_head_dim",
        ),
    ),
    "latent": Dimension("width inside latent attention", ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")),
    "feed_forward": Dimension(
        "feed-forward width",
        (
            "intermediate_size",
            "ffn_dim",
            "d_ff",
            "dim_ff",
            "n_inner",
            "d_inner",
            "ffn_hidden_size",
            "hidden_dim",
            "inner_dim",
            "encoder_ffn_dim",
            "decoder_ffn_dim",
            "ffn_embed_dim",
            "ff_intermediate_size",
            "intermediate_size_mlp",
            "dense_intermediate_size",
        ),
        size=True,
    ),
    "expert_width": Dimension(
        "width of an expert",
        ("moe_intermediate_size", "expert_ffn_hidden_size", "moe_ffn_hidden_size", "moe_hidden_size", "expert_hidden_size", "expert_dim"),
    ),
    "vocabulary": Dimension("vocabulary", ("vocab_size", "n_vocab", "padded_vocab_size", "n_tokens"), size=True),
    "positions": Dimension(
        "maximum length",
        (
            "max_position_embeddings",
            "n_positions",
            "n_ctx",
            "max_seq_len",
            "max_seq_length",
            "seq_length",
            "max_sequence_length",
            "max_source_positions",
            "max_target_positions",
        ),
    ),
    "norm_epsilon": Dimension(
        "epsilon of the norms",
        (
            "rms_norm_eps",
            "layer_norm_eps",
            "layer_norm_epsilon",
            "norm_eps",
            "norm_epsilon",
            "layernorm_epsilon",
            "layernorm_eps",
            "rms_norm_epsilon",
        ),
    ),
    "activation": Dimension(
        "activation", ("hidden_act", "activation_function", "hidden_activation", "activation", "act_fn", "activation_func")
    ),
    "experts": Dimension(
        "number of experts", ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts", "n_experts", "num_moe_experts")
    ),
    "experts_per_token": Dimension(
        "experts a token",
        (
            "num_experts_per_tok",
            "num_experts_per_token",
            "moe_topk",
            "moe_top_k",
            "moe_k",
            "top_k_experts",
            "moe_router_topk",
            "experts_per_token",
        ),
    ),
}

LARGEST = 10**12
"""No size of a model is above this."""
OF: dict[str, str] = {name: dimension for dimension, row in DIMENSIONS.items() for name in row.names}
"""Name -> dimension."""


@lru_cache(maxsize=1024)
def declared(table: ClassTable, dimension: str) -> tuple[str, ...]:
    """The class's own names of a dimension, aliases left out."""
    return tuple(name for name in DIMENSIONS[dimension].names if name in table.fields)


@lru_cache(maxsize=1024)
def _honoured(table: ClassTable, dimension: str) -> tuple[str, ...]:
    """Names of a dimension that the class reads beside the declared ones, and that lead to none of those."""
    own = declared(table, dimension)
    names = (name for name in DIMENSIONS[dimension].names if name not in own)
    return tuple(name for name in names if table.accepts(name) and table.canonical(name) not in own)


def read(scope: Scope, dimension: str) -> Iterator[tuple[str, int]]:
    """(name, value) of each whole number that the scope's class takes for a dimension: the file's, else the class default.

    Without a class the names that the file has.
    """
    own: tuple[str, ...] = ()
    others = DIMENSIONS[dimension].names
    if scope.table is not None:
        own, others = declared(scope.table, dimension), _honoured(scope.table, dimension)
    for name in (*own, *(name for name in others if name in scope.data)):
        value = scope.whole(name)
        if value is not None:
            yield name, value


def first(scope: Scope, dimension: str) -> tuple[str, int] | None:
    """The first of `read`, null where there is none."""
    return next(read(scope, dimension), None)
