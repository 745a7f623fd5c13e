"""DeepSeek-V3.2: DeepSeek-V3 whose layers each pick keys with an indexer of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack
from ._read.decoder import causal_model, gated, rms
from ._read.draft import COPIES, drafted
from ._read.latent import DENSE, block, deepseek_experts, feeds, indexed, indexer, latent, pair
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("deepseek_v32",)


def architecture(c: Settings) -> Architecture:
    """Every layer has an indexer (`indexer_types` is not read). Without `mlp_layer_types`, `first_k_dense_replace` layers are dense."""
    norm, layers = rms(c), depth(c)
    attention = latent(c, ranked=True, interleaved=True, mask=indexed(c), indexer=indexer(c))
    kinds = feeds(c, layers, first=c.int("first_k_dense_replace", minimum=0))
    blocks = [block(feed, held, pair(attention, gated(c) if feed == DENSE else deepseek_experts(c), norm)) for feed, held in kinds.items()]
    made = causal_model(c, Stack(hidden_size=c.int("hidden_size"), blocks=blocks, final_norm=norm))
    draft = drafted(c, pair(attention, deepseek_experts(c), norm), norm, first=layers, head_norm=norm, copies=COPIES)
    return made.model_copy(update={"draft": draft})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a DeepSeek-V3.2 checkpoint."""
    return model(a, LLAMA)
