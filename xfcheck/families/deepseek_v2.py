"""DeepSeek-V2 (arXiv 2405.04434): latent attention, experts with softmax scores beside shared ones, no correction bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack
from ._read.decoder import causal_model, gated, rms
from ._read.heads import heads_divide
from ._read.latent import DENSE, block, deepseek_experts, dense_first, latent, overridden, pair
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
    norm, layers, bias = rms(c), depth(c), c.flag("mlp_bias")
    heads_divide(c)
    attention = latent(c, interleaved=True)
    if c.raw("num_experts_per_tok", noted=False) is None:
        c = overridden(c, {"num_experts_per_tok": 0})
        c.assume("num_experts_per_tok", 0, "null by class: no token reaches an expert")
    blocks = [
        block(feed, held, pair(attention, gated(c, bias=bias) if feed == DENSE else deepseek_experts(c, scoring="softmax", bias=bias), norm))
        for feed, held in dense_first(c, layers).items()
    ]
    return causal_model(c, Stack(hidden_size=c.int("hidden_size"), blocks=blocks, final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a DeepSeek-V2 checkpoint."""
    return model(a, LLAMA)
