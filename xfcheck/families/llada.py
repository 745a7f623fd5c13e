"""LLaDA (arXiv 2502.09992): a masked diffusion model in OLMo's first form, whose blocks see both ways; and LLaDA-MoE (2509.24389)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import Mask
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import QKV, QKVO, causal_model, kv_heads, quotient, rms
from ._read.dense import alike
from ._read.moe import routed
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA, Names

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("llada", "lladamoe", "llada_moe")
CONFIRMED = {"llada": "safetensors total of GSAI-ML/LLaDA-8B-Base: 8,015,581,184 parameters"}
BOTH = Mask(kind="bidirectional")

TABLE = published(
    "llada",
    "LLaDAConfig",
    "configuration_llada.py of GSAI-ML/LLaDA-8B-Base",
    defaults={
        "d_model": 768, "n_heads": 12, "n_kv_heads": None, "n_layers": 12, "mlp_ratio": 4, "mlp_hidden_size": None, "vocab_size": 50257,
        "embedding_size": 50304, "max_sequence_length": 1024, "include_bias": True, "include_qkv_bias": None, "weight_tying": True,
        "layer_norm_type": "default", "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "activation_type": "swiglu",
        "attention_layer_norm": False, "block_type": "sequential",
    },
    aliases={
        "hidden_size": "d_model", "num_attention_heads": "n_heads", "num_key_value_heads": "n_kv_heads", "num_hidden_layers": "n_layers",
        "max_position_embeddings": "max_sequence_length", "hidden_act": "activation_type", "tie_word_embeddings": "weight_tying",
    },
    models={"LLaDAModelLM": "causal"},
)  # fmt: skip
EXPERTS = published(
    "llada",
    "LLaDAMoEConfig",
    "configuration_lladamoe.py of inclusionAI/LLaDA-MoE-7B-A1B-Base",
    defaults={
        "vocab_size": 157184, "hidden_size": 2048, "expert_intermediate_size": 1024, "num_hidden_layers": 16, "num_attention_heads": 16,
        "num_key_value_heads": None, "num_experts": 64, "num_experts_per_tok": 8, "hidden_act": "silu", "rms_norm_eps": 1e-5,
        "max_position_embeddings": 8192, "tie_word_embeddings": False, "qk_layernorm": True, "attention_bias": False,
        "shared_expert_intermediate_size": None, "norm_topk_prob": None,
    },
    models={"LLaDAMoEModelLM": "causal"},
)  # fmt: skip

NAMES = Names(
    {
        "embedding": "model.transformer.wte",
        "layer": "model.transformer.blocks.{layer}.",
        "final_norm": "model.transformer.ln_f",
        "head": "model.transformer.ff_out",
        "attention.norm": "attn_norm",
        "attention.query": "q_proj",
        "attention.key": "k_proj",
        "attention.value": "v_proj",
        "attention.output": "attn_out",
        "attention.query_norm": "q_norm",
        "attention.key_norm": "k_norm",
        "feed_forward.norm": "ff_norm",
        "mlp.gate": "ff_proj",
        "mlp.up": "up_proj",
        "mlp.down": "ff_out",
    }
)


def architecture(c: Settings) -> Architecture:
    """`block_type` llama: gate and up apart, each `mlp_hidden_size` wide; other block types are not read."""
    if c.data.get("model_type") != "llada" or "num_experts" in c.data:
        return _experts(c)
    block = c.data.get("block_type")
    if block != "llama":
        c.assume("block_type", block, "read as the block of the published models, llama", estimated=True)
    c = under(c, TABLE, include_bias=False, attention_layer_norm=False, weight_tying=False)
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), rms(c)
    width, groups, bias = quotient(c, hidden, heads), kv_heads(c, heads), c.flag("include_bias")
    inner = c.optional_int("mlp_hidden_size", minimum=1) or int((c.number("mlp_ratio", noted=True) or 4) * hidden)
    forward = MLP(intermediate_size=inner, gated=True, bias=bias, output_bias=bias)
    normed = c.flag("attention_layer_norm")
    query, key = (Norm(eps=norm.eps, size=count * width) if normed else None for count in (heads, groups))
    position, qkv = rotary(c, width), bias if c.raw("include_qkv_bias") is None else c.flag("include_qkv_bias")

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads,
            kv_heads=groups,
            head_dim=width,
            biases=(QKVO if bias else QKV) if qkv else ["output"] if bias else [],
            query_norm=query,
            key_norm=key,
            mask=BOTH,
            position=position,
            kept_tokens=kept,
        )
        return prenorm(mixer, forward, norm)

    made = causal_model(c, alike(c, hidden, layer, norm))
    rows = c.optional_int("embedding_size", minimum=1) or c.int("vocab_size")
    table = made.embedding and made.embedding.model_copy(update={"rows": rows})
    return made.model_copy(update={"embedding": table, "head": made.head.model_copy(update={"rows": rows}), "naming": "blocks"})


def _experts(c: Settings) -> Architecture:
    like(c, "read from the published class: no total that is known confirms it")
    c = under(c, EXPERTS)
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), rms(c)
    width, head_norm = quotient(c, hidden, heads), Norm(eps=norm.eps) if c.flag("qk_layernorm") else None
    router = Router(normalise=bool(c.raw("norm_topk_prob")))
    forward = routed(c, experts="num_experts", width="expert_intermediate_size", router=router)
    position, biases = rotary(c, width), QKVO if c.flag("attention_bias") else []

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads,
            kv_heads=kv_heads(c, heads),
            head_dim=width,
            biases=biases,
            query_norm=head_norm,
            key_norm=head_norm,
            mask=BOTH,
            position=position,
            kept_tokens=kept,
        )
        return prenorm(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES if a.naming == "blocks" else LLAMA.but({}, {}))
