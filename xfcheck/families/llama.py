"""Llama and the types that transformers builds with its classes (Touvron et al. 2023, arXiv 2302.13971)."""

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

MODEL_TYPES = ("llama", "internlm3", "iquestcoder")


def architecture(c: Settings) -> Architecture:
    """Pre-norm, grouped-query attention, gated MLP; `attention_bias` covers all four projections."""
    attention_bias, mlp_bias = c.flag("attention_bias"), c.flag("mlp_bias")
    if c.table is not None and c.table.model_type == "internlm3" and attention_bias != mlp_bias:
        raise c.refuse(
            "attention_bias", "one bias switch for all projections: qkv_bias and bias differ", code="XF118", help="the same value for both"
        )
    if c.table is not None and c.table.model_type == "iquestcoder":
        _plain(c)
    return llama_like(c, biases=QKVO if attention_bias else [], mlp_bias=mlp_bias)


def _plain(c: Settings) -> None:
    """Raises Refused XF118 for the variants of IQuest-Coder that its class does not build."""
    if c.raw("clip_qkv") is not None:
        raise c.refuse("clip_qkv", "the class builds no clipped projections", code="XF118", help="null")
    if c.raw("use_sliding_window"):
        raise c.refuse("use_sliding_window", "the class builds no windows", code="XF118", help="false")


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Llama checkpoint."""
    return model(a, LLAMA)
