"""Bamba: Mamba-2 layers, attention in a few (https://huggingface.co/blog/bamba)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.hybrid import FULL, LINEAR, marked, two_step
from ._read.layers import depth
from ._read.rotary import rotary
from ._read.state_space import expanded, mamba2
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import BAMBA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("bamba",)

NAMES = LLAMA.but(BAMBA)


def architecture(c: Settings) -> Architecture:
    """Attention in `attn_layer_indices`, half of each head rotated; Mamba-2 elsewhere."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)

    def mixing(kind: str) -> Sublayer:
        if kind == LINEAR:
            return Sublayer(name="mamba2", mixers=[mamba2(c, expanded(c, "mamba_expand", hidden), norm)], norm=norm)
        width = head_dim(c, hidden, c.int("num_attention_heads"))
        heads = attention(c, hidden, mask=CAUSAL, position=rotary(c, width, partial=0.5), biases=QKVO if c.flag("attention_bias") else [])
        return Sublayer(name="attention", mixers=[heads], norm=norm)

    feed = Sublayer(name="feed_forward", mixers=[gated(c, bias=c.flag("mlp_bias"))], norm=norm)
    kinds = marked(layers, c.list("attn_layer_indices") or [], FULL, LINEAR)
    blocks = two_step(kinds, mixing, {"dense": LayerSet.first(layers)}, lambda _: feed)
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Bamba checkpoint."""
    return model(a, NAMES)
