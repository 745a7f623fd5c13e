"""Mistral 4 (Mistral AI, 2026): DeepSeek-V2's latent attention, experts scored by a softmax beside shared ones, dense first layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ._read.decoder import causal_model, gated, rms
from ._read.latent import DENSE, deepseek_experts, dense_first, latent, plain_blocks
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mistral4",)

NAMES = LLAMA.but({"moe.expert.gate_up": "mlp.experts.gate_up_proj!", "moe.expert.down": "mlp.experts.down_proj!"}, {})


def architecture(c: Settings) -> Architecture:
    """All experts of a layer are one tensor in the checkpoint too."""
    norm, layers, attention = rms(c), depth(c), latent(c)

    def forward(feed: str) -> list[Sublayer]:
        mixer = gated(c) if feed == DENSE else deepseek_experts(c, scoring="softmax", storage="stacked")
        return [Sublayer(name="feed_forward", mixers=[mixer], norm=norm)]

    blocks = plain_blocks(c, layers, dense_first(c, layers), attention, forward)
    return causal_model(c, Stack(hidden_size=c.int("hidden_size"), blocks=blocks, final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Mistral 4 checkpoint."""
    return model(a, NAMES)
