"""Apertus (arXiv 2509.14233): an MLP without a gate under xIELU, norms on each query and key head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.decoder import QKVO, causal_model, head_dim, rms
from ._read.dense import causal_stack
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("apertus", "apertus1p5_text")

NAMES = LLAMA.but({"attention.norm": "attention_layernorm", "feed_forward.norm": "feedforward_layernorm"})


def architecture(c: Settings) -> Architecture:
    """`output_vocab_size`, of 1.5 alone, is the number of rows of a head that is not tied."""
    hidden, norm = c.int("hidden_size"), rms(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads")), QKVO if c.flag("attention_bias") else []
    position, head_norm = rotary(c, width), Norm(eps=norm.eps, size=width)
    forward = MLP(intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "xielu", gated=False)
    stack = causal_stack(c, hidden, forward, norm, width=width, position=position, biases=biases, head_norm=head_norm)
    whole = causal_model(c, stack)
    rows = None if c.table is None or not c.table.declares("output_vocab_size") else c.optional_int("output_vocab_size", minimum=1)
    if not rows or not whole.head.rows or whole.head.tied:
        return whole
    if rows > whole.head.rows:
        raise c.refuse(
            "output_vocab_size",
            f"output_vocab_size {rows} is above the vocabulary of {whole.head.rows}",
            code="XF118",
            help="at most vocab_size",
        )
    return whole.model_copy(update={"head": whole.head.model_copy(update={"rows": rows})})


def ledger(a: Architecture) -> list[Row]:
    """The rows of an Apertus checkpoint."""
    return model(a, NAMES)
