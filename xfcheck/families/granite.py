"""Granite 3 (IBM): Llama with a multiplier on embeddings, scores, residual steps and logits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.dense import alike, scaled
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("granite", "granite_docling_text")


def architecture(c: Settings) -> Architecture:
    """`attention_multiplier` is the scale of the scores itself; `logits_scaling` divides."""
    hidden, norm = c.int("hidden_size"), rms(c)
    width, biases = head_dim(c, hidden, c.int("num_attention_heads")), QKVO if c.flag("attention_bias") else []
    position, forward, scale = rotary(c, width), gated(c, bias=c.flag("mlp_bias")), c.number("attention_multiplier")

    def layer(kept: int | None) -> list[Sublayer]:
        heads = attention(c, hidden, mask=CAUSAL, position=position, biases=biases, width=width, scale=scale, kept_tokens=kept)
        return scaled(prenorm(heads, forward, norm), c.number("residual_multiplier"))

    scaling = c.number("logits_scaling") or 1.0
    return causal_model(c, alike(c, hidden, layer, norm), multiplier=c.number("embedding_multiplier") or 1.0, head_multiplier=1 / scaling)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Granite checkpoint."""
    return model(a, LLAMA)
