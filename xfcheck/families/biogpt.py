"""BioGPT (Luo et al. 2022, arXiv 2210.10341): GPT-2's shape with BART's names and positions two rows on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.positions.tables import Learned
from ._read.decoder import QKVO, causal_model, layer_norm
from ._read.dense import alike
from ._read.plain import multi_head, plain, sequential
from ._rows.gpt_names import HEADS
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("biogpt",)

LAYER = {
    "attention.norm": "self_attn_layer_norm",
    "attention.query": "self_attn.q_proj",
    "attention.key": "self_attn.k_proj",
    "attention.value": "self_attn.v_proj",
    "attention.output": "self_attn.out_proj",
    "feed_forward.norm": "final_layer_norm",
    "mlp.up": "fc1",
    "mlp.down": "fc2",
}
NAMES = Names(
    {
        **HEADS,
        **LAYER,
        "embedding": "biogpt.embed_tokens",
        "positions": "biogpt.embed_positions",
        "layer": "biogpt.layers.{layer}.",
        "final_norm": "biogpt.layer_norm",
        "head": "output_projection",
    },
    base_prefix="biogpt.",
)


def architecture(c: Settings) -> Architecture:
    """Biases everywhere; the embedding is scaled by the root of d where `scale_embedding` says so."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")

    def layer(kept: int | None) -> list[Sublayer]:
        return sequential(multi_head(c, hidden, mask=CAUSAL, biases=QKVO, kept_tokens=kept), forward, norm)

    position = Learned(rows=c.int("max_position_embeddings") + 2, offset=2)
    return causal_model(
        c, alike(c, hidden, layer, norm), position=position, multiplier=hidden**0.5 if c.flag("scale_embedding", True) else 1.0
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a BioGPT checkpoint."""
    return model(a, NAMES)
