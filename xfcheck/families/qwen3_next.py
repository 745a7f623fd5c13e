"""Qwen3-Next: gated delta rule and gated attention, three to one, over many small experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ._read.blocks import SPARSE
from ._read.decoder import causal_model, gated, rms
from ._read.gated_delta import gated_delta, kinds
from ._read.hybrid import LINEAR, two_step
from ._read.layers import depth
from ._read.qwen_gated import experts, gated_attention
from ._read.sparse_steps import sparse_steps
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import QWEN_GATED

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen3_next",)

NAMES = LLAMA.but(QWEN_GATED)


def architecture(c: Settings) -> Architecture:
    """Layers by `layer_types` or `full_attention_interval`; the query projection is twice as wide, its other half gates the output."""
    hidden, norm, layers = c.int("hidden_size"), rms(c, unit_offset=True), depth(c)

    def mixing(kind: str) -> Sublayer:
        if kind == LINEAR:
            return Sublayer(name="gated_delta", mixers=[gated_delta(c, "grouped")], norm=norm)
        return Sublayer(name="attention", mixers=[gated_attention(c, hidden, norm)], norm=norm)

    def feeding(kind: str) -> Sublayer:
        return Sublayer(name="feed_forward", mixers=[experts(c) if kind == SPARSE else gated(c)], norm=norm)

    blocks = two_step(kinds(c, layers), mixing, sparse_steps(c, layers), feeding)
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Qwen3-Next checkpoint."""
    return model(a, NAMES)
