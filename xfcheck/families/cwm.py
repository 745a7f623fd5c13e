"""Code World Model (arXiv 2510.02387): Llama with windows on three of four layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.blocks import prenorm
from ._read.decoder import attention, causal_model, gated, head_dim, rms
from ._read.dense import by_kind
from ._read.layers import depth, every, listed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("cwm",)


def architecture(c: Settings) -> Architecture:
    """Every fourth layer, from the first, sees everything where the file has no `layer_types`; no attention biases."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    window, position, forward = c.optional_int("sliding_window"), rotary(c, width), gated(c, bias=c.flag("mlp_bias"))
    kinds = listed(c, layers, known=(FULL, SLIDING)) or every(layers, 4, FULL, SLIDING, offset=0)
    stack = by_kind(
        hidden,
        kinds,
        lambda kind: prenorm(attention(c, hidden, mask=mask_of(c, kind, window or None), position=position, width=width), forward, norm),
        norm,
    )
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a CWM checkpoint."""
    return model(a, LLAMA)
