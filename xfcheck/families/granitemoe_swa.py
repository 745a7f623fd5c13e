"""Granite's mixture of experts with sliding layers: attention sinks in every layer, a rotary base a layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._read.layers import depth, every, listed
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from .granitemoe import NAMES as GRANITE
from .granitemoe import described

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("granitemoe_swa",)

NAMES = GRANITE.but(
    {
        "moe.router": "block_sparse_moe.router",
        "moe.expert.gate_up": "block_sparse_moe.experts.gate_up_proj!",
        "moe.expert.down": "block_sparse_moe.experts.down_proj!",
    }
)
"""Saved under the names of the modules: conversion_mapping.py of transformers 5.24 has no entry for this type."""


def architecture(c: Settings) -> Architecture:
    """The first of every four layers is full, unless `layer_types` says otherwise."""
    layers, window = depth(c), c.optional_int("sliding_window")

    def own(kind: str) -> dict[str, Any]:
        return {"mask": mask_of(c, kind, window), "sinks": True}

    return described(c, listed(c, layers) or every(layers, 4, FULL, SLIDING, offset=0), own)


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return model(a, NAMES)
