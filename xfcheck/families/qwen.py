"""Qwen, the first of the name (arXiv 2309.16609): Llama's block under GPT-2's names, one bias on query, key and value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import QKV, QKVO, causal_model
from ._read.dense import alike
from ._read.published import published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen",)
CONFIRMED = {"qwen": "safetensors index of Qwen/Qwen-72B: 144,575,840,256 bytes, and of Qwen-7B-Chat: 15,442,649,088"}

TABLE = published(
    "qwen",
    "QWenConfig",
    "configuration_qwen.py of Qwen/Qwen-7B",
    defaults={
        "vocab_size": 151936, "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "layer_norm_epsilon": 1e-6,
        "max_position_embeddings": 8192, "intermediate_size": 22016, "kv_channels": 128, "rotary_pct": 1.0, "rotary_emb_base": 10000,
        "no_bias": True, "tie_word_embeddings": False,
    },
    aliases={
        "rope_theta": "rotary_emb_base", "n_embd": "hidden_size", "n_layer": "num_hidden_layers", "n_head": "num_attention_heads",
        "n_positions": "max_position_embeddings", "ffn_hidden_size": "intermediate_size",
    },
    models={"QWenLMHeadModel": "causal"},
)  # fmt: skip

NAMES = Names(
    {
        "embedding": "transformer.wte",
        "layer": "transformer.h.{layer}.",
        "final_norm": "transformer.ln_f",
        "head": "lm_head",
        "attention.norm": "ln_1",
        "attention.qkv": "attn.c_attn",
        "attention.output": "attn.c_proj",
        "feed_forward.norm": "ln_2",
        "mlp.gate": "mlp.w2",
        "mlp.up": "mlp.w1",
        "mlp.down": "mlp.c_proj",
    },
    base_prefix="transformer.",
)


def architecture(c: Settings) -> Architecture:
    """`intermediate_size` counts gate and up together: each is half as wide. `kv_channels` is the width of a head."""
    for key, tower in (("visual", "vision"), ("audio", "audio")):
        if isinstance(c.data.get(key), dict):
            c.assume(key, None, f"the language model alone: the {tower} tower is not counted", estimated=True)
    if "padded_vocab_size" in c.data and "vocab_size" not in c.data:
        c.assume(
            "padded_vocab_size",
            c.data["padded_vocab_size"],
            "not read: the class has had it both ways, and makes vocab_size rows",
            estimated=True,
        )
    c = under(c, TABLE, no_bias=True)
    hidden, norm, heads, width = (
        c.int("hidden_size"),
        Norm(eps=c.number("layer_norm_epsilon")),
        c.int("num_attention_heads"),
        c.int("kv_channels"),
    )
    plain = c.flag("no_bias")
    forward = MLP(
        intermediate_size=c.int("intermediate_size", minimum=2) // 2, activation="silu", gated=True, bias=not plain, output_bias=not plain
    )
    position, biases = rotary(c, width, partial=c.number("rotary_pct")), QKV if plain else QKVO

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads,
            kv_heads=heads,
            head_dim=width,
            packing="qkv",
            biases=biases,
            mask=CAUSAL,
            position=position,
            kept_tokens=kept,
        )
        return prenorm(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Qwen checkpoint."""
    return model(a, NAMES)
