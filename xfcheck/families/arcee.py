"""Arcee's AFM (arcee-ai, AFM-4.5B): Llama's attention, an MLP without a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.mlp import MLP
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, head_dim, rms
from ._read.dense import alike
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
    """The rows of an Arcee checkpoint."""
    return model(a, LLAMA)
