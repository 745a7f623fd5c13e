"""ERNIE 4.5, dense."""

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

MODEL_TYPES = ("ernie4_5", "paddleocr_vl_text")


def architecture(c: Settings) -> Architecture:
    """One switch, `use_bias`, for every projection of attention and MLP."""
    bias = c.flag("use_bias")
    return llama_like(c, biases=QKVO if bias else [], mlp_bias=bias)


def ledger(a: Architecture) -> list[Row]:
    """The rows of an ERNIE 4.5 checkpoint."""
    return model(a, LLAMA)
