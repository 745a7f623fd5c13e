"""StableLM 2 (arXiv 2402.17834): Llama with layer norms, a quarter of each head turned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import QKV, attention, causal_model, gated, kv_heads, layer_norm, quotient
from ._read.dense import alike, parallel
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("stablelm",)

NAMES = LLAMA.but(
    {"attention.query_norm": "self_attn.q_layernorm.norms.{head}", "attention.key_norm": "self_attn.k_layernorm.norms.{head}"}
)


def architecture(c: Settings) -> Architecture:
    """Heads of hidden / heads; `use_parallel_residual` drops the second norm, `qk_layernorm` gives every head a norm without bias."""
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c), c.int("num_attention_heads")
    width, biases = quotient(c, hidden, heads), QKV if c.flag("use_qkv_bias") else []
    normed, steps = c.flag("qk_layernorm"), parallel if c.flag("use_parallel_residual") else prenorm
    query = Norm(kind="layer", eps=norm.eps, size=width, heads=heads) if normed else None
    key = Norm(kind="layer", eps=norm.eps, size=width, heads=kv_heads(c, heads)) if normed else None
    position, forward = rotary(c, width, partial=0.25), gated(c)

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = attention(
            c, hidden, mask=CAUSAL, position=position, biases=biases, width=width, query_norm=query, key_norm=key, kept_tokens=kept
        )
        return steps(mixer, forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a StableLM checkpoint."""
    return model(a, NAMES)
