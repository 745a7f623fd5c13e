"""Command R: one layer norm without a bias, attention and MLP in parallel, tied table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, kv_heads, layer_norm
from ._read.dense import alike, parallel
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("cohere",)


def architecture(c: Settings) -> Architecture:
    """`use_qk_norm` gives every query and key head a norm with weights of its own."""
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c, bias=False), c.int("num_attention_heads")
    width, biases = head_dim(c, hidden, heads), QKVO if c.flag("attention_bias") else []
    normed = c.flag("use_qk_norm")
    query = norm.model_copy(update={"size": width, "heads": heads}) if normed else None
    key = norm.model_copy(update={"size": width, "heads": kv_heads(c, heads)}) if normed else None
    position, forward = rotary(c, width, layout="interleaved"), gated(c)

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = attention(
            c, hidden, mask=CAUSAL, position=position, biases=biases, width=width, query_norm=query, key_norm=key, kept_tokens=kept
        )
        return parallel(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm), head_multiplier=c.number("logit_scale") or 1.0)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Command R checkpoint."""
    return model(a, LLAMA)
