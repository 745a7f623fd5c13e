"""OLMo 3: OLMo 2 with a window on three of four layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.norm import Norm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, kv_heads, rms
from ._read.dense import by_kind, post_norm
from ._read.dual_rotary import dual_rotary
from ._read.layers import depth, every, listed
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("olmo3",)

NAMES = LLAMA.but({"attention.norm_after": "post_attention_layernorm", "feed_forward.norm_after": "post_feedforward_layernorm"})


def architecture(c: Settings) -> Architecture:
    """Every fourth layer sees everything where the file has no `layer_types`; only those take a rotary scaling."""
    hidden, norm, heads, layers = c.int("hidden_size"), rms(c), c.int("num_attention_heads"), depth(c)
    width, biases, window = head_dim(c, hidden, heads), QKVO if c.flag("attention_bias") else [], c.optional_int("sliding_window")
    query, key = Norm(eps=norm.eps, size=heads * width), Norm(eps=norm.eps, size=kv_heads(c, heads) * width)
    forward, kinds = gated(c), listed(c, layers, known=(FULL, SLIDING)) or every(layers, 4, FULL, SLIDING)

    def layer(kind: str) -> list[Sublayer]:
        position = dual_rotary(c, width, kind, keys={FULL: "rope_theta"})
        mixer = attention(
            c, hidden, mask=mask_of(c, kind, window), position=position, biases=biases, width=width, query_norm=query, key_norm=key
        )
        return post_norm(mixer, forward, norm)

    return causal_model(c, by_kind(hidden, kinds, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of an OLMo 3 checkpoint."""
    return model(a, NAMES)
