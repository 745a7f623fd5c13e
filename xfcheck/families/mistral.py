"""Mistral: Llama with a window on every layer (Jiang et al. 2023, arXiv 2310.06825)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL, Mask
from ._read.decoder import attention, causal_model, gated, head_dim, rms
from ._read.layers import depth
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mistral",)


def architecture(c: Settings) -> Architecture:
    """No biases; the class's own window of 4096 holds where the key is absent, none where it is null."""
    hidden, norm = c.int("hidden_size"), rms(c)
    window = c.optional_int("sliding_window")
    mask = CAUSAL if window is None else Mask(kind="sliding", window=window)
    heads = attention(c, hidden, mask=mask, position=rotary(c, head_dim(c, hidden, c.int("num_attention_heads"))))
    block = Block(
        name="decoder",
        layers=LayerSet.first(depth(c)),
        sublayers=[Sublayer(name="attention", mixers=[heads], norm=norm), Sublayer(name="feed_forward", mixers=[gated(c)], norm=norm)],
    )
    return causal_model(c, Stack(hidden_size=hidden, blocks=[block], final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Mistral checkpoint."""
    return model(a, LLAMA)
