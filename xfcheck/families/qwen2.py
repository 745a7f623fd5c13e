"""Qwen2 and Qwen2.5 (Yang et al. 2024, arXiv 2407.10671)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.blocks import prenorm
from ._read.decoder import QKV, attention, causal_model, gated, head_dim, quotient, rms
from ._read.dense import by_kind
from ._read.layers import depth
from ._read.rotary import rotary
from ._read.windows import mask_of, switched
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen2", "qwen2_vl_text", "qwen2_5_vl_text", "qwen2_5_omni_text")


def architecture(c: Settings) -> Architecture:
    """Query, key and value have a bias whatever the file says, the output has none; windows by switch and layer.

    Inside Qwen2-VL and its successors a `head_dim` is not read.
    """
    hidden, norm = c.int("hidden_size"), rms(c)
    kinds, window = switched(c, depth(c))
    heads, alone = c.int("num_attention_heads"), c.table is None or c.table.model_type == "qwen2"
    width, forward = head_dim(c, hidden, heads) if alone else quotient(c, hidden, heads), gated(c)
    position = rotary(c, width)

    def layer(kind: str) -> list[Sublayer]:
        own = attention(c, hidden, mask=mask_of(c, kind, window), position=position, width=width, biases=QKV)
        return prenorm(own, forward, norm)

    return causal_model(c, by_kind(hidden, kinds, layer, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Qwen2 checkpoint."""
    return model(a, LLAMA)
