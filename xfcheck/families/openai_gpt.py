"""GPT, the first (Radford et al. 2018): post-norm, learned positions, no cache in its implementation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.positions.tables import Learned
from ._read.decoder import QKVO, causal_model, layer_norm
from ._read.layers import depth
from ._read.plain import after_sum, multi_head, plain
from ._rows.gpt_names import TRANSFORMER
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("openai-gpt",)

NAMES = TRANSFORMER.but(
    {
        "embedding": "transformer.tokens_embed",
        "positions": "transformer.positions_embed",
        "attention.qkv": "attn.c_attn",
        "attention.output": "attn.c_proj",
        "attention.norm_residual": "ln_1",
        "feed_forward.norm_residual": "ln_2",
        "mlp.up": "mlp.c_fc",
        "mlp.down": "mlp.c_proj",
    }
)


def architecture(c: Settings) -> Architecture:
    """Norms after the sums, none at the end; the class keeps no cache."""
    hidden, norm = c.int("hidden_size"), layer_norm(c, "layer_norm_epsilon")
    mixer = multi_head(c, hidden, mask=CAUSAL, biases=QKVO, packed=True).model_copy(update={"cached": False})
    forward = plain(4 * hidden, c.text("afn") or "gelu")
    block = Block(name="decoder", layers=LayerSet.first(depth(c)), sublayers=after_sum(mixer, forward, norm))
    return causal_model(c, Stack(hidden_size=hidden, blocks=[block]), position=Learned(rows=c.int("max_position_embeddings")))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GPT checkpoint; every matrix of a block is a Conv1D, stored [in, out]."""
    return [
        row._replace(shape=row.shape[::-1], transposed=True) if row.layers is not None and row.role.multiplies else row
        for row in model(a, NAMES)
    ]
