"""Baichuan and Baichuan 2 (arXiv 2309.10305): Llama with query, key and value as one matrix; the larger ones know positions by slopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.positions.biases import Alibi
from ._read.blocks import prenorm
from ._read.decoder import causal_model, gated, quotient, rms
from ._read.dense import alike
from ._read.published import published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("baichuan",)
CONFIRMED = {"baichuan": "model cards of baichuan-inc/Baichuan-7B, 7,000,559,616 parameters, and Baichuan-13B-Base, 13,264,901,120"}

MODELS = {"BaichuanForCausalLM": "causal", "BaiChuanForCausalLM": "causal"}
SIZES = {"hidden_act": "silu", "rms_norm_eps": 1e-6, "tie_word_embeddings": False}
TABLE = published(
    "baichuan",
    "BaichuanConfig",
    "configuration_baichuan.py of baichuan-inc/Baichuan2-7B-Base",
    defaults={
        **SIZES, "vocab_size": 125696, "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
        "max_position_embeddings": 4096,
    },
    models=MODELS,
)  # fmt: skip
LARGE = published(
    "baichuan",
    "BaichuanConfig",
    "configuration_baichuan.py of baichuan-inc/Baichuan-13B-Base",
    defaults={
        **SIZES, "vocab_size": 64000, "hidden_size": 5120, "intermediate_size": 13696, "num_hidden_layers": 40, "num_attention_heads": 40,
        "model_max_length": 4096,
    },
    aliases={"max_position_embeddings": "model_max_length"},
    models=MODELS,
)  # fmt: skip

NAMES = LLAMA.but({"attention.qkv": "self_attn.W_pack"})


def architecture(c: Settings) -> Architecture:
    """The class of the 13B models has `model_max_length` in place of maximum positions, and slopes in place of rotary positions."""
    sloped = "model_max_length" in c.data and "max_position_embeddings" not in c.data
    c = under(c, LARGE if sloped else TABLE)
    hidden, norm, heads = c.int("hidden_size"), rms(c), c.int("num_attention_heads")
    width, forward = quotient(c, hidden, heads), gated(c)
    position = Alibi() if sloped else rotary(c, width)

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads, kv_heads=heads, head_dim=width, packing="qkv", mask=CAUSAL, position=position, kept_tokens=kept
        )
        return prenorm(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Baichuan checkpoint."""
    return model(a, NAMES)
