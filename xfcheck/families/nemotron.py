"""Nemotron-4 (arXiv 2402.16819): layer norms stored as offsets from one, squared ReLU without a gate, partial rotary positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.decoder import QKVO, causal_model, head_dim, layer_norm
from ._read.dense import causal_stack
from ._read.plain import plain
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
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "relu2", bias=bias)
    stack = causal_stack(c, hidden, forward, norm, width=width, position=position, biases=biases)
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Nemotron checkpoint."""
    return model(a, LLAMA)
