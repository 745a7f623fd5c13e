"""Seed-OSS (ByteDance): Llama with a bias on query, key and value by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.decoder import QKV, QKVO
from ._read.llama import llama_like
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("seed_oss",)


def architecture(c: Settings) -> Architecture:
    """`attention_bias` is on by class; the output projection has a switch of its own, `attention_out_bias`."""
    biases = [*(QKV if c.flag("attention_bias") else []), *(QKVO[3:] if c.flag("attention_out_bias") else [])]
    return llama_like(c, biases=biases, mlp_bias=c.flag("mlp_bias"))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Seed-OSS checkpoint."""
    return model(a, LLAMA)
