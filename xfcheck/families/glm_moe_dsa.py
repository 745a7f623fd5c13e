"""GLM-5: the sparse latent attention of DeepSeek-V3.2, in which layers reuse keys that an earlier one picked (arXiv 2603.12201)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack
from ._read.decoder import causal_model, gated, rms
from ._read.draft import drafted
from ._read.latent import DENSE, SHARED_INDEX, block, deepseek_experts, feeds, indexed, indexer, indexing, latent, pair
from ._read.layers import crossed, depth
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.mixers.latent_attention import LatentAttention
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("glm_moe_dsa",)


def architecture(c: Settings) -> Architecture:
    """Layers whose indexer is `shared` have no indexer tensors and no indexer keys in the cache."""
    norm, layers = rms(c), depth(c)
    kinds = crossed(indexing(c, layers), feeds(c, layers, first=c.int("first_k_dense_replace", minimum=0)))
    blocks = [
        block(
            f"{index}_{feed}",
            held,
            pair(attention(c, shared=index == SHARED_INDEX), gated(c) if feed == DENSE else deepseek_experts(c), norm),
        )
        for (index, feed), held in kinds.items()
    ]
    made = causal_model(c, Stack(hidden_size=c.int("hidden_size"), blocks=blocks, final_norm=norm))
    draft = drafted(c, pair(attention(c, shared=False), deepseek_experts(c), norm), norm, first=layers, head_norm=norm)
    return made.model_copy(update={"draft": draft})


def attention(c: Settings, *, shared: bool) -> LatentAttention:
    """Latent attention with its own or a shared choice of keys."""
    return latent(c, ranked=True, interleaved=True, mask=indexed(c), indexer=indexer(c, shared=shared))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GLM-5 checkpoint."""
    return model(a, LLAMA)
