"""Mixtral of experts (Jiang et al. 2024, arXiv 2401.04088)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.moe import Router
from ._read.decoder import attention, causal_model, head_dim, rms
from ._read.layers import depth
from ._read.moe import routed
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mixtral",)

NAMES = LLAMA.but(
    {
        "moe.router": "block_sparse_moe.gate",
        "moe.expert.gate": "block_sparse_moe.experts.{expert}.w1",
        "moe.expert.up": "block_sparse_moe.experts.{expert}.w3",
        "moe.expert.down": "block_sparse_moe.experts.{expert}.w2",
    },
    {"moe.router": "mlp.gate"},
)


def architecture(c: Settings) -> Architecture:
    """Experts in every layer; the chosen two weights are renormalised."""
    hidden, norm = c.int("hidden_size"), rms(c)
    window = c.optional_int("sliding_window")
    mask = CAUSAL if window is None else Mask(kind="sliding", window=window)
    heads = attention(c, hidden, mask=mask, position=rotary(c, head_dim(c, hidden, c.int("num_attention_heads"))))
    experts = routed(c, experts="num_local_experts", width="intermediate_size", router=Router(normalise=True))
    block = Block(
        name="decoder",
        layers=LayerSet.first(depth(c)),
        sublayers=[Sublayer(name="attention", mixers=[heads], norm=norm), Sublayer(name="feed_forward", mixers=[experts], norm=norm)],
    )
    return causal_model(c, Stack(hidden_size=hidden, blocks=[block], final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Mixtral checkpoint: one matrix an expert, named w1, w3, w2."""
    return model(a, NAMES)
