"""Qwen3.5, dense and with experts: gated delta rule and gated attention; the language model of a composite config, or of a text config."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Stack, Sublayer
from ..architecture.layers import LayerSet
from ._read.composite import language_model
from ._read.decoder import causal_model, gated, rms
from ._read.gated_delta import gated_delta, kinds
from ._read.head import named_kind
from ._read.hybrid import LINEAR, two_step
from ._read.layers import depth
from ._read.qwen_gated import experts, gated_attention
from ._read.towers import JOINED, language, tower, whole
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import QWEN_GATED
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text")

COMPOSITE = {"qwen3_5": "qwen3_5_text", "qwen3_5_moe": "qwen3_5_moe_text"}
"""Type of a composite config -> type of its language model."""

NAMES = LLAMA.but(QWEN_GATED)


def architecture(c: Settings) -> Architecture:
    """As Qwen3-Next, the delta rule's projections in four matrices; the `_moe` types have experts in every layer, the others none.

    The class that makes texts of images has Qwen3-VL's tower beside it; the others are the language model alone.
    """
    outer = "" if c.table is None else c.table.model_type
    if outer in COMPOSITE and named_kind(c) == "conditional_generation":
        return whole(c, JOINED, language(c), {"visual": tower(c)}, [])
    if outer in COMPOSITE:
        c = language_model(c, COMPOSITE[outer])
    sparse = c.table is not None and c.table.declares("num_experts")
    hidden, norm, layers = c.int("hidden_size"), rms(c, unit_offset=True), depth(c)

    def mixing(kind: str) -> Sublayer:
        if kind == LINEAR:
            return Sublayer(name="gated_delta", mixers=[gated_delta(c, "qkv")], norm=norm)
        return Sublayer(name="attention", mixers=[gated_attention(c, hidden, norm)], norm=norm)

    feed = Sublayer(name="feed_forward", mixers=[experts(c, normalise=True) if sparse else gated(c)], norm=norm)
    blocks = two_step(kinds(c, layers), mixing, {"sparse" if sparse else "dense": LayerSet.first(layers)}, lambda _: feed)
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Qwen3.5 checkpoint of the language model, or of the whole."""
    return tower_rows(a, {}) if a.members else model(a, NAMES)
