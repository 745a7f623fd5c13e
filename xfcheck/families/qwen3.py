"""Qwen3, dense (arXiv 2505.09388)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.dense import by_kind
from ._read.layers import depth
from ._read.rotary import rotary
from ._read.undeclared import cache_window
from ._read.windows import mask_of, switched
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen3", "qwen3_vl_text")

PARTS = {
    **{f"attention.{part}": (f"self_attn.to_{name}", f"self_attn.{part[0]}_proj") for part, name in (("query", "q"), ("key", "k"))},
    "attention.value": ("self_attn.to_v", "self_attn.v_proj"),
    "attention.output": ("self_attn.to_out", "self_attn.o_proj"),
    "attention.query_norm": ("self_attn.norm_q", "self_attn.q_norm"),
    "attention.key_norm": ("self_attn.norm_k", "self_attn.k_norm"),
}
COSMOS = LLAMA.but({key: name for key, (name, _) in PARTS.items()}, {key: module for key, (_, module) in PARTS.items()})
"""As Cosmos 3 is saved, a Qwen3-VL inside a world model: the whole that it is part of asks for these names."""


def architecture(c: Settings) -> Architecture:
    """RMS norms on each query and key head; head_dim 128 by class, not hidden / heads.

    Inside Qwen3-VL nothing slides, but the cache obeys an undeclared window.
    """
    hidden, norm = c.int("hidden_size"), rms(c)
    kinds, window = switched(c, depth(c))
    width, forward = head_dim(c, hidden, c.int("num_attention_heads"), needed=True), gated(c)
    position, head_norm, biases = rotary(c, width), Norm(eps=norm.eps, size=width), QKVO if c.flag("attention_bias") else []

    kinds_known = c.table is None or c.table.declares("layer_types")

    def layer(kind: str) -> list[Sublayer]:
        heads = attention(
            c,
            hidden,
            mask=mask_of(c, kind, window),
            position=position,
            width=width,
            biases=biases,
            query_norm=head_norm,
            key_norm=head_norm,
            kept_tokens=None if kinds_known else cache_window(c),
        )
        return prenorm(heads, forward, norm)

    return causal_model(c, by_kind(hidden, kinds, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Qwen3 checkpoint."""
    return model(a, COSMOS if a.naming == "cosmos" else LLAMA)
