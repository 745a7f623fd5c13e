"""Ling 3: delta attention with a decay a channel, latent attention with a gate a head at the end of each group of layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.mixers.kimi_delta import KimiDelta
from ..architecture.norm import Norm
from ._read.blocks import dense_first, feeds
from ._read.decoder import causal_model
from ._read.hybrid import FULL, LINEAR
from ._read.kimi_delta import delta_stack
from ._read.latent import latent
from ._read.layers import depth, every, listed
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("bailing_hybrid",)

PARTS = {
    "kimi_delta.query": "q_proj",
    "kimi_delta.key": "k_proj",
    "kimi_delta.value": "v_proj",
    "kimi_delta.gate": "g_proj",
    "kimi_delta.beta": "b_proj",
    "kimi_delta.gated_norm": "o_norm",
    "latent_attention.query": "q_proj",
    "latent_attention.query_a": "q_a_proj",
    "latent_attention.query_norm": "q_a_layernorm",
    "latent_attention.query_b": "q_b_proj",
    "latent_attention.kv_a": "kv_a_proj_with_mqa",
    "latent_attention.kv_norm": "kv_a_layernorm",
    "latent_attention.kv_b": "kv_b_proj",
    "latent_attention.gate": "g_proj",
}
"""Parts whose module is called the same in a checkpoint and in transformers, but for the layer's attention around it."""

NAMES = LLAMA.but(
    {
        "embedding": "model.word_embeddings",
        "kimi_delta.norm": "input_layernorm",
        **{key: f"attention.{part}" for key, part in PARTS.items()},
        "kimi_delta.query_conv": "attention.q_conv1d",
        "kimi_delta.key_conv": "attention.k_conv1d",
        "kimi_delta.value_conv": "attention.v_conv1d",
        "kimi_delta.forget": "attention.f_proj",
        "kimi_delta.dt_bias": "attention.dt_bias!",
        "kimi_delta.decay": "attention.A_log!",
        "kimi_delta.out": "attention.dense",
        "latent_attention.output": "attention.dense",
        "moe.correction": "mlp.gate.expert_bias!",
    },
    {
        "embedding": "model.embed_tokens",
        **{key: f"self_attn.{part}" for key, part in PARTS.items()},
        "kimi_delta.query_conv": "self_attn.conv1d",
        "kimi_delta.key_conv": "self_attn.conv1d",
        "kimi_delta.value_conv": "self_attn.conv1d",
        "kimi_delta.forget": "self_attn.forget_gate.f_proj",
        "kimi_delta.dt_bias": "self_attn.forget_gate.dt_bias!",
        "kimi_delta.decay": "self_attn.forget_gate.A_log!",
        "kimi_delta.out": "self_attn.o_proj",
        "latent_attention.output": "self_attn.o_proj",
        "moe.correction": "mlp.gate.e_score_correction_bias!",
    },
)


def architecture(c: Settings) -> Architecture:
    """Latent attention in the last layer of each `layer_group_size`; delta layers have `num_attention_heads` of `head_dim`.

    A file that transformers wrote names them again (`linear_head_dim`, ...): these win, as they are set last. The head is never tied.
    """
    hidden, layers = c.int("hidden_size"), depth(c)

    def size(derived: str, key: str) -> int:
        return c.int(derived if c.has(derived) else key)

    delta = KimiDelta(
        heads=size("linear_num_heads", "num_attention_heads"),
        head_dim=size("linear_head_dim", "head_dim"),
        kernel=size("linear_conv_kernel_dim", "short_conv_kernel_size"),
        gated_norm=Norm(eps=c.number("rms_norm_eps")),
        activation=c.text("hidden_act") or "silu",
    )
    full = latent(c, gate="headwise").model_copy(update={"kept_tokens": None})
    mixing = listed(c, layers, known=(LINEAR, FULL)) or every(layers, c.int("layer_group_size"), FULL, LINEAR)
    feeding = feeds(c, layers, dense_first(c.int("first_k_dense_replace", minimum=0), layers))
    return causal_model(c, delta_stack(c, hidden, mixing, feeding, delta, full), tied=False)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Ling 3 checkpoint; the bare model is saved with the table's name in transformers."""
    return model(a, NAMES if a.head.kind != "none" else NAMES.but({"embedding": "model.embed_tokens"}))
