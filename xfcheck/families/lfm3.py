"""LFM3: gated short convolutions, sliding and full attention with a gate a head, norms before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.mixers.mlp import MLP
from ._read.blocks import DENSE
from ._read.decoder import QKVO, causal_model, rms
from ._read.hybrid import CONV, FULL, two_step
from ._read.layers import depth, grouped, listed
from ._read.short_convolution import normed_attention, short_convolution
from ._read.windows import SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.short_convolution_names import LFM2

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("lfm3",)

NAMES = LLAMA.but(
    {
        **LFM2,
        "short_convolution.norm_after": "post_operator_norm",
        "attention.norm_after": "post_operator_norm",
        "attention.output": "self_attn.o_proj",
        "attention.query_norm": "self_attn.q_norm",
        "attention.key_norm": "self_attn.k_norm",
        "attention.gate": "self_attn.gate_proj",
        "feed_forward.norm_after": "post_ffn_norm",
    },
    {"attention.gate": "self_attn.g_proj"},
)


def architecture(c: Settings) -> Architecture:
    """Layers by `layer_types`, else a period of four: full attention third, sliding first (but the very first), convolutions."""
    hidden, norm, layers = c.int("hidden_size"), rms(c, "norm_eps"), depth(c)
    after = norm if c.flag("use_sandwich_norm", True) else None
    window, gate = c.optional_int("sliding_window"), "headwise" if c.flag("use_attention_gate", True) else "none"

    def mixing(kind: str) -> Sublayer:
        if kind == CONV:
            return Sublayer(name="short_convolution", mixers=[short_convolution(c, hidden)], norm=norm, norm_after=after)
        heads = normed_attention(c, hidden, mask_of(c, kind, window), biases=QKVO if c.flag("attention_bias") else [], kind=kind)
        return Sublayer(name="attention", mixers=[heads.model_copy(update={"gate": gate})], norm=norm, norm_after=after)

    feed = Sublayer(name="feed_forward", mixers=[MLP(intermediate_size=c.int("intermediate_size"))], norm=norm, norm_after=after)
    blocks = two_step(kinds(c, layers), mixing, {DENSE: LayerSet.first(layers)}, lambda _: feed)
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


def kinds(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers by their list, else the class's period."""
    named = listed(c, layers, known=(CONV, FULL, SLIDING))
    if named is not None:
        return named
    c.assume("layer_types", "period of 4", "what the class of transformers 5.24.0 takes where the file gives no layers")
    return grouped(FULL if i % 4 == 2 else SLIDING if i % 4 == 0 and i > 0 else CONV for i in range(layers))


def ledger(a: Architecture) -> list[Row]:
    """The rows of an LFM3 checkpoint."""
    return model(a, NAMES)
