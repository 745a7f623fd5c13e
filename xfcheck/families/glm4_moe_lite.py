"""GLM-4.7-Flash: DeepSeek-V3's layers in a smaller size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ._read.decoder import causal_model, gated, rms
from ._read.draft import COPIES, drafted
from ._read.latent import DENSE, deepseek_experts, feeds, latent, pair, plain_blocks
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("glm4_moe_lite",)


def architecture(c: Settings) -> Architecture:
    """Dense layers by `mlp_layer_types`, by class the first alone (`first_k_dense_replace` is not read)."""
    norm, layers, attention = rms(c), depth(c), latent(c)

    def forward(feed: str) -> list[Sublayer]:
        return [Sublayer(name="feed_forward", mixers=[gated(c) if feed == DENSE else deepseek_experts(c)], norm=norm)]

    blocks = plain_blocks(c, layers, feeds(c, layers, first=1), attention, forward)
    made = causal_model(c, Stack(hidden_size=c.int("hidden_size"), blocks=blocks, final_norm=norm))
    draft = drafted(c, pair(attention, deepseek_experts(c), norm), norm, first=layers, head_norm=norm, copies=COPIES)
    return made.model_copy(update={"draft": draft})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GLM-4.7-Flash checkpoint."""
    return model(a, LLAMA)
