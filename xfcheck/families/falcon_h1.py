"""Falcon-H1 (arXiv 2507.22448): attention and Mamba-2 heads side by side in every layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.layers import depth
from ._read.rotary import rotary
from ._read.state_space import expanded, mamba2
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import BAMBA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("falcon_h1",)

NAMES = LLAMA.but(BAMBA)


def architecture(c: Settings) -> Architecture:
    """One norm before both mixers, their outputs summed; the state space is `mamba_d_ssm` wide, its gated norm an option."""
    hidden, norm = c.int("hidden_size"), rms(c)
    inner = c.optional_int("mamba_d_ssm", minimum=1)
    state_space = mamba2(
        c,
        expanded(c, "mamba_expand", hidden) if inner is None else inner,
        norm if c.flag("mamba_rms_norm") else None,
        output_bias=c.flag("projectors_bias"),
    )
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    heads = attention(c, hidden, mask=CAUSAL, position=rotary(c, width), biases=QKVO if c.flag("attention_bias") else [])
    block = Block(
        name="parallel",
        layers=LayerSet.first(depth(c)),
        sublayers=[
            Sublayer(name="attention", mixers=[state_space, heads], norm=norm),
            Sublayer(name="feed_forward", mixers=[gated(c, bias=c.flag("mlp_bias"))], norm=norm),
        ],
    )
    return causal_model(c, Stack(hidden_size=hidden, blocks=[block], final_norm=norm), multiplier=c.number("embedding_multiplier") or 1.0)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Falcon-H1 checkpoint."""
    return model(a, NAMES)
