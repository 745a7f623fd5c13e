"""Jais 2: layer norms with a bias, an MLP without a gate, biases everywhere by class."""

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

MODEL_TYPES = ("jais2",)


def architecture(c: Settings) -> Architecture:
    """`attention_bias` and `mlp_bias` are on where the file is silent."""
    hidden, norm, bias = c.int("hidden_size"), layer_norm(c), c.flag("mlp_bias")
    width, biases = head_dim(c, hidden, c.int("num_attention_heads")), QKVO if c.flag("attention_bias") else []
    position = rotary(c, width)
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "relu2", bias=bias)
    stack = causal_stack(c, hidden, forward, norm, width=width, position=position, biases=biases)
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Jais 2 checkpoint."""
    return model(a, LLAMA)
