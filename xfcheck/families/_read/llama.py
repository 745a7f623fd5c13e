"""The skeleton of Llama under the flags of the types that share it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .decoder import causal_model, gated, head_dim, rms
from .dense import causal_stack
from .rotary import rotary

if TYPE_CHECKING:
    from ...architecture.model import Architecture
    from .decoder import Biased
    from .settings import Settings


def llama_like(c: Settings, *, biases: list[Biased], mlp_bias: bool) -> Architecture:
    """Pre-norm, grouped-query attention over everything before, gated MLP; `biases` of the attention's projections."""
    hidden, norm = c.int("hidden_size"), rms(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    position, forward = rotary(c, width), gated(c, bias=mlp_bias)
    stack = causal_stack(c, hidden, forward, norm, width=width, position=position, biases=biases)
    return causal_model(c, stack)
