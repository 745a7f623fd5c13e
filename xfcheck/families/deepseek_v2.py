"""DeepSeek-V2 (arXiv 2405.04434): latent attention, experts with softmax scores beside shared ones, no correction bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from . import deepseek
from ._read.decoder import causal_model, gated, rms
from ._read.heads import heads_divide
from ._read.latent import DENSE, deepseek_experts, dense_first, latent, overridden, plain_blocks
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("deepseek_v2",)


def architecture(c: Settings) -> Architecture:
    """`mlp_bias` is on the dense and the shared networks alone; a file without `num_experts_per_tok` builds, but cannot route a token."""
    if c.data.get("use_mla") is False:
        why = "grouped-query attention, as in DeepSeek's published class: transformers has only the latent one"
        c.assume("use_mla", False, why, estimated=True)
        return deepseek.architecture(c)
    norm, layers, bias = rms(c), depth(c), c.flag("mlp_bias")
    heads_divide(c)
    attention = latent(c, interleaved=True)
    routed = c
    if c.raw("num_experts_per_tok", noted=False) is None:
        routed = overridden(c, {"num_experts_per_tok": 0})
        c.assume("num_experts_per_tok", 0, "null by class: no token reaches an expert")

    def forward(feed: str) -> list[Sublayer]:
        mixer = gated(c, bias=bias) if feed == DENSE else deepseek_experts(routed, scoring="softmax", bias=bias)
        return [Sublayer(name="feed_forward", mixers=[mixer], norm=norm)]

    blocks = plain_blocks(c, layers, dense_first(c, layers), attention, forward)
    return causal_model(c, Stack(hidden_size=c.int("hidden_size"), blocks=blocks, final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a DeepSeek-V2 checkpoint."""
    return model(a, LLAMA)
