"""MiniMax-Text-01 (arXiv 2501.08313) and MiniMax-M1 (2506.13585) as published: lightning attention, softmax in each eighth layer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import minimax
from ._classes import class_table
from ._read.settings import Settings

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("minimax_m1", "minimax_text_01")
CONFIRMED = {"minimax_m1": "safetensors index of MiniMaxAI/MiniMax-M1: 912,210,767,872 bytes, the 80 routers in fp32"}

KINDS = {0: "linear_attention", 1: "full_attention"}
SIZES = (
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "vocab_size",
    "num_local_experts",
)
LATER = {"slope", "query_decay", "key_decay", "pair_decay"}
"""Buffers that transformers saves and the published checkpoints do not hold."""


def architecture(c: Settings) -> Architecture:
    """`attn_type_list`: 0 for a lightning layer, 1 for softmax. Raises Refused XF114 where it does not fit the depth."""
    if c.data.get("model_type") not in CONFIRMED:
        c.assume("model_type", c.data.get("model_type"), "read as MiniMax-M1, whose structure it is", estimated=True)
    table = class_table("minimax")
    if table is None:
        raise LookupError("no class table of minimax")
    fields = {key: (types, None if key in SIZES else value) for key, (types, value) in table.fields.items()}
    own = replace(
        table, class_name="MiniMaxM1Config", published="configuration_minimax_m1.py of MiniMaxAI/MiniMax-M1-80k", fields=fields,
        architectures={"MiniMaxM1ForCausalLM": "causal", "MiniMaxText01ForCausalLM": "causal"},
    )  # fmt: skip
    given = c.data.get("attn_type_list")
    kinds = [KINDS.get(kind) if isinstance(kind, int) else None for kind in given] if isinstance(given, list) else []
    layers = c.data.get("num_hidden_layers")
    if None in kinds or not isinstance(layers, int) or len(kinds) < layers:
        raise c.refuse(
            "attn_type_list",
            "attn_type_list needs a 0 or a 1 for each layer",
            code="XF114",
            help="0 for lightning attention, 1 for softmax",
        )
    shared = c.data.get("shared_intermediate_size")
    if shared:
        c.assume("shared_intermediate_size", shared, "shared experts of the class are not counted", estimated=True)
    return minimax.architecture(Settings({**c.data, "layer_types": kinds}, own, pointer=c.pointer, reading=c.reading))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint, without the decays: code makes them."""
    return [row for row in minimax.ledger(a) if row.role.part not in LATER]
