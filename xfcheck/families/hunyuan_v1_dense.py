"""Hunyuan, dense: Llama with norms on each query and key head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.norm import Norm
from ._read.decoder import QKVO, causal_model, gated, head_dim, rms
from ._read.dense import causal_stack
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("hunyuan_v1_dense", "hunyuan_vl_text")

NAMES = LLAMA.but({"attention.query_norm": "self_attn.query_layernorm", "attention.key_norm": "self_attn.key_layernorm"})


def architecture(c: Settings) -> Architecture:
    """The class does not derive head_dim: null does not build (XF101)."""
    hidden, norm = c.int("hidden_size"), rms(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads"), needed=True), QKVO if c.flag("attention_bias") else []
    position, forward, head_norm = rotary(c, width), gated(c), Norm(eps=norm.eps, size=width)
    stack = causal_stack(c, hidden, forward, norm, width=width, position=position, biases=biases, head_norm=head_norm)
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Hunyuan checkpoint."""
    return model(a, NAMES)
