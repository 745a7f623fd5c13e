"""Mamba (Gu and Dao 2023, arXiv 2312.00752) and Falcon-Mamba (arXiv 2410.05355)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ._read.decoder import causal_model, rms
from ._read.layers import depth
from ._read.state_space import mamba1
from ._rows.model import model
from ._rows.names import Names
from ._rows.state_space_names import mamba

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mamba", "falcon_mamba")

NAMES = Names(
    {
        "embedding": "backbone.embeddings",
        "layer": "backbone.layers.{layer}.",
        "final_norm": "backbone.norm_f",
        "head": "lm_head",
        "mamba.norm": "norm",
        **mamba("mixer"),
    },
    base_prefix="backbone.",
)


def architecture(c: Settings) -> Architecture:
    """Nothing but Mamba-1 layers; Falcon-Mamba's norms on dt, B and C have no weights."""
    hidden, norm = c.int("hidden_size"), rms(c, "layer_norm_epsilon")
    block = Block(name="mamba", layers=LayerSet.first(depth(c)), sublayers=[Sublayer(name="mamba", mixers=[mamba1(c, hidden)], norm=norm)])
    return causal_model(c, Stack(hidden_size=hidden, blocks=[block], final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Mamba checkpoint."""
    return model(a, NAMES)
