"""Phi-3 and Phi-4 (arXiv 2404.14219): query, key and value as one matrix, gate and up as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.blocks import prenorm
from ._read.decoder import attention, causal_model, gated, head_dim, rms
from ._read.dense import alike, window_mask
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("phi3",)

NAMES = LLAMA.but({"mlp.activation": "mlp.activation_fn"})


def architecture(c: Settings) -> Architecture:
    """No biases; a window, where the file gives one, is every layer's."""
    hidden, norm = c.int("hidden_size"), rms(c)
    width, mask = head_dim(c, hidden, c.int("num_attention_heads")), window_mask(c)
    position, forward = rotary(c, width, partial=1.0), gated(c).model_copy(update={"packing": "gate_up"})

    def layer(kept: int | None) -> list[Sublayer]:
        heads = attention(c, hidden, mask=mask, position=position, width=width, kept_tokens=kept)
        return prenorm(heads.model_copy(update={"packing": "qkv"}), forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Phi-3 checkpoint."""
    return model(a, NAMES)
