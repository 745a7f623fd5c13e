"""OLMo 2 (arXiv 2501.00656): norms after each step alone, and over the whole of queries and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.norm import Norm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, kv_heads, rms
from ._read.dense import alike, post_norm
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("olmo2",)

NAMES = LLAMA.but({"attention.norm_after": "post_attention_layernorm", "feed_forward.norm_after": "post_feedforward_layernorm"})


def architecture(c: Settings) -> Architecture:
    """The query norm is heads * head_dim wide, the key norm key-value heads * head_dim."""
    hidden, norm, heads = c.int("hidden_size"), rms(c), c.int("num_attention_heads")
    width, biases = head_dim(c, hidden, heads), QKVO if c.flag("attention_bias") else []
    query, key = Norm(eps=norm.eps, size=heads * width), Norm(eps=norm.eps, size=kv_heads(c, heads) * width)
    position, forward = rotary(c, width), gated(c)

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = attention(
            c, hidden, mask=CAUSAL, position=position, biases=biases, width=width, query_norm=query, key_norm=key, kept_tokens=kept
        )
        return post_norm(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of an OLMo 2 checkpoint."""
    return model(a, NAMES)
