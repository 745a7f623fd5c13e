"""EXAONE 3 (arXiv 2408.03541): Llama's skeleton under GPT-2's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.decoder import QKVO
from ._read.llama import llama_like
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("exaone",)

_CHECKPOINT = {
    "embedding": "transformer.wte",
    "layer": "transformer.h.{layer}.",
    "final_norm": "transformer.ln_f",
    "attention.norm": "ln_1",
    "attention.query": "attn.attention.q_proj",
    "attention.key": "attn.attention.k_proj",
    "attention.value": "attn.attention.v_proj",
    "attention.output": "attn.attention.out_proj",
    "feed_forward.norm": "ln_2",
    "mlp.gate": "mlp.c_fc_0",
    "mlp.up": "mlp.c_fc_1",
    "mlp.down": "mlp.c_proj",
}

NAMES = LLAMA.but(_CHECKPOINT, {key: LLAMA.checkpoint[key] for key in _CHECKPOINT}, "transformer.")._replace(module_prefix="model.")

BARE = NAMES.but(
    {"embedding": "transformer.embed_tokens", "layer": "transformer.layers.{layer}.", "final_norm": "transformer.norm"}
)._replace(
    module_prefix="model.",
)
"""The bare model is saved with the outer names of its class."""


def architecture(c: Settings) -> Architecture:
    """As transformers 5.24 builds it, with Llama's classes and both bias switches."""
    return llama_like(c, biases=QKVO if c.flag("attention_bias") else [], mlp_bias=c.flag("mlp_bias"))


def ledger(a: Architecture) -> list[Row]:
    """The rows of an EXAONE checkpoint."""
    return model(a, BARE if a.head.kind == "none" else NAMES)
