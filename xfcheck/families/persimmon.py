"""Persimmon (Adept): GPT-NeoX's layout, a layer norm on each query and key head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ._read.blocks import prenorm
from ._read.decoder import QKVO, causal_model, layer_norm, quotient
from ._read.dense import alike
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("persimmon",)

NAMES = LLAMA.but(
    {
        "final_norm": "model.final_layernorm",
        "attention.qkv": "self_attn.query_key_value",
        "attention.output": "self_attn.dense",
        "attention.query_norm": "self_attn.q_layernorm",
        "attention.key_norm": "self_attn.k_layernorm",
        "mlp.up": "mlp.dense_h_to_4h",
        "mlp.down": "mlp.dense_4h_to_h",
        "mlp.activation": "mlp.act",
    }
)


def architecture(c: Settings) -> Architecture:
    """As many key-value as query heads of hidden / heads; biases everywhere but at the head; half of each head is turned."""
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c), c.int("num_attention_heads")
    width = quotient(c, hidden, heads)
    head_norm = norm.model_copy(update={"size": width}) if c.flag("qk_layernorm") else None
    position = rotary(c, width, partial=0.5)
    forward = MLP(
        intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "relu2", gated=False, bias=True, output_bias=True
    )

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads, kv_heads=heads, head_dim=width, packing="qkv", biases=QKVO, query_norm=head_norm, key_norm=head_norm, mask=CAUSAL,
            position=position, kept_tokens=kept, dropout=c.number("attention_dropout") or 0.0,
        )  # fmt: skip
        return prenorm(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Persimmon checkpoint."""
    return model(a, NAMES)
