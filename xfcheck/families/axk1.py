"""A.X-K1: DeepSeek-V3's layers with a norm on the experts' output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ._read.decoder import causal_model, gated, rms
from ._read.latent import DENSE, deepseek_experts, feeds_by_frequency, latent, plain_blocks
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("axk1",)

NAMES = LLAMA.but({"feed_forward.norm_after": "post_mlp_layernorm"}, {"feed_forward.norm_after": "mlp.post_mlp_layernorm"})


def architecture(c: Settings) -> Architecture:
    """Dense layers by `mlp_layer_types` or by `first_k_dense_replace` and `moe_layer_freq`; queries always have a rank."""
    norm, layers, attention = rms(c), depth(c), latent(c, ranked=True)

    def forward(feed: str) -> list[Sublayer]:
        if feed == DENSE:
            return [Sublayer(name="feed_forward", mixers=[gated(c)], norm=norm)]
        return [Sublayer(name="feed_forward", mixers=[deepseek_experts(c)], norm=norm, norm_after=norm)]

    blocks = plain_blocks(c, layers, feeds_by_frequency(c, layers), attention, forward)
    return causal_model(c, Stack(hidden_size=c.int("hidden_size"), blocks=blocks, final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of an A.X-K1 checkpoint."""
    return model(a, NAMES)
