"""CTRL (Keskar et al. 2019, arXiv 1909.05858): sinusoidal positions, pre-norm, a bias at the tied head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.positions.tables import Sinusoidal
from ._read.decoder import QKVO, causal_model, layer_norm
from ._read.dense import alike
from ._read.plain import multi_head, plain, sequential
from ._rows.gpt_names import TRANSFORMER
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("ctrl",)

NAMES = TRANSFORMER.but(
    {
        "embedding": "transformer.w",
        "final_norm": "transformer.layernorm",
        "classifier": "classifier",
        "attention.norm": "layernorm1",
        "attention.query": "multi_head_attention.Wq",
        "attention.key": "multi_head_attention.Wk",
        "attention.value": "multi_head_attention.Wv",
        "attention.output": "multi_head_attention.dense",
        "feed_forward.norm": "layernorm2",
        "mlp.up": "ffn.0",
        "mlp.down": "ffn.2",
    }
)


def architecture(c: Settings) -> Architecture:
    """Biases everywhere; the position table is computed, not stored."""
    hidden, norm = c.int("hidden_size"), layer_norm(c, "layer_norm_epsilon")
    forward = plain(c.int("dff"), "relu")

    def layer(kept: int | None) -> list[Sublayer]:
        return sequential(multi_head(c, hidden, mask=CAUSAL, biases=QKVO, kept_tokens=kept), forward, norm)

    return causal_model(
        c, alike(c, hidden, layer, norm), head_bias=True, position=Sinusoidal(rows=c.optional_int("max_position_embeddings"))
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a CTRL checkpoint."""
    return model(a, NAMES)
