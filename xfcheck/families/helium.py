"""Helium (Kyutai): Llama with a square output projection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.decoder import QKV, causal_model, gated, head_dim, rms
from ._read.dense import causal_stack
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("helium",)


def architecture(c: Settings) -> Architecture:
    """The output projection is hidden x hidden, without bias. Raises Refused XF118 where heads * head_dim is not hidden."""
    hidden, norm, heads = c.int("hidden_size"), rms(c), c.int("num_attention_heads")
    width, biases = head_dim(c, hidden, heads, needed=True), QKV if c.flag("attention_bias") else []
    if heads * width != hidden:
        raise c.refuse(
            "head_dim",
            f"{heads} heads of {width} are {heads * width} wide, the output projection takes {hidden}",
            code="XF118",
            help=f"{hidden / heads:g}",
        )
    position, forward = rotary(c, width, layout="interleaved"), gated(c, bias=c.flag("mlp_bias"))
    stack = causal_stack(c, hidden, forward, norm, width=width, position=position, biases=biases)
    return causal_model(c, stack)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Helium checkpoint."""
    return model(a, LLAMA)
