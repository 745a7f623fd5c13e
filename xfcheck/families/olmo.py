"""OLMo (arXiv 2402.00838): Llama with layer norms that have no weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim
from ._read.dense import alike
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
    """The rows of an OLMo checkpoint."""
    return model(a, LLAMA)
