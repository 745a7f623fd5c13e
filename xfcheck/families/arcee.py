"""Arcee's AFM (arcee-ai, AFM-4.5B): Llama's attention, an MLP without a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.decoder import QKVO, causal_model, head_dim, rms
from ._read.dense import causal_stack
from ._read.plain import plain
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("arcee",)


def architecture(c: Settings) -> Architecture:
    """Up and down with squared ReLU; `attention_bias` and `mlp_bias` as in Llama."""
    hidden, norm, bias = c.int("hidden_size"), rms(c), c.flag("mlp_bias")
    width, biases = head_dim(c, hidden, c.int("num_attention_heads")), QKVO if c.flag("attention_bias") else []
    position = rotary(c, width)
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "relu2", bias=bias)
    stack = causal_stack(c, hidden, forward, norm, width=width, position=position, biases=biases)
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an Arcee checkpoint."""
    return model(a, LLAMA)
