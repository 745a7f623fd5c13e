"""Nemotron-4 (arXiv 2402.16819): layer norms stored as offsets from one, squared ReLU without a gate, partial rotary positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.mlp import MLP
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, head_dim, layer_norm
from ._read.dense import alike
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("nemotron",)


def architecture(c: Settings) -> Architecture:
    """The class derives head_dim but not the key-value heads: without `num_key_value_heads` it does not build (XF101)."""
    hidden, bias = c.int("hidden_size"), c.flag("mlp_bias")
    c.int("num_key_value_heads")
    norm = layer_norm(c, "norm_eps").model_copy(update={"unit_offset": True})
    width, biases = head_dim(c, hidden, c.int("num_attention_heads")), QKVO if c.flag("attention_bias") else []
    position = rotary(c, width, partial=0.5)
    forward = MLP(
        intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "relu2", gated=False, bias=bias, output_bias=bias
    )
    stack = alike(
        c,
        hidden,
        lambda kept: prenorm(
            attention(c, hidden, mask=CAUSAL, position=position, biases=biases, width=width, kept_tokens=kept), forward, norm
        ),
        norm,
    )
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Nemotron checkpoint."""
    return model(a, LLAMA)
