"""Gemma (arXiv 2403.08295): norms stored as offsets from one, scaled and tied table, head_dim by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.decoder import QKVO, causal_model, gated, head_dim, rms
from ._read.dense import causal_stack
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gemma",)


def architecture(c: Settings) -> Architecture:
    """head_dim is 256 where the file does not say, whatever hidden / heads is."""
    hidden, norm = c.int("hidden_size"), rms(c, unit_offset=True)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads"), needed=True), QKVO if c.flag("attention_bias") else []
    position, forward = rotary(c, width), gated(c)
    stack = causal_stack(c, hidden, forward, norm, width=width, position=position, biases=biases)
    return causal_model(c, stack, multiplier=hidden**0.5)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Gemma checkpoint."""
    return model(a, LLAMA)
