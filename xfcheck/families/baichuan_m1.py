"""Baichuan-M1 (arXiv 2502.12671): keys and values mixed with those of the token before, sliding layers with heads of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.attention import Attention
from ._read.blocks import decoder_stack
from ._read.decoder import causal_model, gated, quotient, rms
from ._read.layers import depth
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("baichuan_m1",)
FULL, SLIDING = "full", "sliding"

TABLE = published(
    "baichuan_m1",
    "BaichuanM1Config",
    "configuration_baichuan.py of baichuan-inc/Baichuan-M1-14B-Base",
    defaults={
        "vocab_size": 133120, "hidden_size": 5120, "intermediate_size": 17408, "num_hidden_layers": 40, "num_attention_heads": 32,
        "num_key_value_heads": 2, "num_swa_attention_heads": None, "num_swa_key_value_heads": None, "hidden_act": "silu",
        "max_position_embeddings": 32768, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "sliding_window": 8192,
        "sliding_window_layers": None, "conv_window": 2,
    },
    models={"BaichuanM1ForCausalLM": "causal", "BaichuanForCausalLM": "causal"},
)  # fmt: skip

NAMES = LLAMA.but(
    {"attention.qkv": "self_attn.W_pack", "attention.key_conv": "self_attn.conv_k!", "attention.value_conv": "self_attn.conv_v!"}
)


def architecture(c: Settings) -> Architecture:
    """`conv_window` taps a key-value head, over keys and over values; `sliding_window_layers` names the sliding ones."""
    like(c, "read from the published class: the model card's 14B parameters are rounded")
    c = under(c, TABLE)
    hidden, norm, layers, taps = c.int("hidden_size"), rms(c), depth(c), c.int("conv_window")
    among = {i for i in c.list("sliding_window_layers") or [] if isinstance(i, int) and not isinstance(i, bool)}

    def sublayers(kind: str) -> list[Sublayer]:
        prefix = "num_swa_" if kind == SLIDING else "num_"
        heads = c.optional_int(f"{prefix}attention_heads", minimum=1) or c.int("num_attention_heads")
        groups = c.optional_int(f"{prefix}key_value_heads", minimum=1) or c.int("num_key_value_heads")
        width = quotient(c, hidden, heads)
        mixer = Attention(
            query_heads=heads,
            kv_heads=groups,
            head_dim=width,
            packing="qkv",
            mask=Mask(kind="sliding", window=c.int("sliding_window")) if kind == SLIDING else CAUSAL,
            position=rotary(c, width),
        )
        convs = [
            Projection(name=f"{part}_conv", shape=[1, 1, groups, 1, taps], multiplies=False, component="convolution")
            for part in ("key", "value")
        ]
        return [
            Sublayer(name="attention", mixers=[mixer], norm=norm, projections=convs),
            Sublayer(name="feed_forward", mixers=[gated(c)], norm=norm),
        ]

    held = {
        (FULL,): LayerSet.of(i for i in range(layers) if i not in among),
        (SLIDING,): LayerSet.of(i for i in range(layers) if i in among),
    }
    return causal_model(c, decoder_stack(hidden, held, sublayers, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
