"""DeepSeekMoE (arXiv 2401.06066), and DeepSeek-V2's class without latent attention, as its small vision models use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.latent import DENSE, block, deepseek_experts, dense_first
from ._read.layers import depth
from ._read.published import published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("deepseek",)
CONFIRMED = {"deepseek": "safetensors total of deepseek-ai/deepseek-moe-16b-base: 16,375,728,128 parameters"}

TABLE = published(
    "deepseek",
    "DeepseekConfig",
    "configuration_deepseek.py of deepseek-ai/deepseek-moe-16b-base",
    defaults={
        "vocab_size": 102400, "hidden_size": 4096, "intermediate_size": 11008, "moe_intermediate_size": 1407, "num_hidden_layers": 30,
        "num_attention_heads": 32, "num_key_value_heads": None, "n_shared_experts": None, "n_routed_experts": None,
        "num_experts_per_tok": None, "moe_layer_freq": 1, "first_k_dense_replace": 0, "norm_topk_prob": False, "hidden_act": "silu",
        "max_position_embeddings": 2048, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "attention_bias": False,
    },
    models={"DeepseekForCausalLM": "causal", "DeepseekV2ForCausalLM": "causal"},
)  # fmt: skip


def architecture(c: Settings) -> Architecture:
    """Grouped-query attention; experts behind the first dense layers, each with shared ones beside it."""
    c = under(c, TABLE, attention_bias=False, moe_layer_freq=1)
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    heads = attention(c, hidden, mask=CAUSAL, position=rotary(c, width), width=width, biases=QKVO if c.flag("attention_bias") else [])
    feeds = dense_first(c, layers) if c.raw("n_routed_experts") else {DENSE: LayerSet.first(layers)}
    blocks = []
    for kind, held in feeds.items():
        forward = gated(c) if kind == DENSE else deepseek_experts(c, scoring="softmax")
        blocks.append(block(kind, held, prenorm(heads, forward, norm)))
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a DeepSeekMoE checkpoint."""
    return model(a, LLAMA)
