"""DeepSeek-V3 (arXiv 2412.19437) and models of its class: latent attention, experts scored by sigmoids, dense first layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ._read.decoder import causal_model, gated, rms
from ._read.draft import COPIES, drafted
from ._read.latent import DENSE, deepseek_experts, dense_first, latent, pair, plain_blocks
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("deepseek_v3", "sarvam_mla")


def architecture(c: Settings) -> Architecture:
    """`first_k_dense_replace` dense layers, experts after; the draft layer of a checkpoint stands behind the last layer."""
    norm, layers, attention = rms(c), depth(c), latent(c)

    def forward(feed: str) -> list[Sublayer]:
        return [Sublayer(name="feed_forward", mixers=[gated(c) if feed == DENSE else deepseek_experts(c)], norm=norm)]

    blocks = plain_blocks(c, layers, dense_first(c, layers), attention, forward)
    made = causal_model(c, Stack(hidden_size=c.int("hidden_size"), blocks=blocks, final_norm=norm))
    draft = drafted(c, pair(attention, deepseek_experts(c), norm), norm, first=layers, head_norm=norm, copies=COPIES)
    return made.model_copy(update={"draft": draft})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a DeepSeek-V3 checkpoint."""
    return model(a, LLAMA)
