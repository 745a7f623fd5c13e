"""OLMo (arXiv 2402.00838): Llama with layer norms that have no weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.norm import Norm
from ._read.decoder import QKVO, causal_model, gated, head_dim
from ._read.dense import causal_stack
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("olmo",)


def architecture(c: Settings) -> Architecture:
    """`clip_qkv` bounds the projections' outputs and moves no number."""
    hidden, norm = c.int("hidden_size"), Norm(kind="layer", eps=1e-5, weight=False)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads")), QKVO if c.flag("attention_bias") else []
    position, forward = rotary(c, width), gated(c)
    stack = causal_stack(c, hidden, forward, norm, width=width, position=position, biases=biases)
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an OLMo checkpoint."""
    return model(a, LLAMA)
