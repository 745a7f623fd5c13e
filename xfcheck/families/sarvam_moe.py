"""Sarvam's mixture of experts: GLM-4.5's layers, saved with query, key and value in one matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import glm4_moe
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("sarvam_moe",)

CHECKPOINT = {
    "embedding": "model.word_embeddings",
    "attention.qkv": "attention.query_key_value",
    "attention.output": "attention.dense",
    "attention.query_norm": "attention.query_layernorm",
    "attention.key_norm": "attention.key_layernorm",
    "moe.correction": "mlp.gate.expert_bias!",
}

MODULES = {
    "embedding": "model.embed_tokens",
    "attention.qkv": "self_attn.q_proj|self_attn.k_proj|self_attn.v_proj",
    "attention.output": "self_attn.o_proj",
    "attention.query_norm": "self_attn.q_norm",
    "attention.key_norm": "self_attn.k_norm",
    "moe.correction": "mlp.gate.e_score_correction_bias!",
}

NAMES = LLAMA.but(CHECKPOINT, MODULES)


def architecture(c: Settings) -> Architecture:
    """As GLM-4.5, `head_dim` declared; the bias of query, key and value is one too."""
    return glm4_moe.described(c, partial=1.0, packing="qkv")


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Sarvam checkpoint.

    The renaming of the table does not reach a bare model (conversion_mapping.py of transformers 5.24).
    """
    return model(a, NAMES if a.head.kind != "none" else NAMES.but({"embedding": "model.embed_tokens"}))
