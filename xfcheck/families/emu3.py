"""Emu3's language model (arXiv 2409.18869): Llama's skeleton under `text_config`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.composite import language_model
from ._read.decoder import QKVO, dtype
from ._read.llama import llama_like
from ._read.settings import Settings
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("emu3",)


def architecture(c: Settings) -> Architecture:
    """The text class alone, with its own dtype; its bias switches are off by class and obeyed though its config does not declare them."""
    text = language_model(c, "emu3_text_model")
    whole = llama_like(text, biases=QKVO if text.flag("attention_bias") else [], mlp_bias=text.flag("mlp_bias"))
    inner = c.mapping("text_config") or {}
    return whole.model_copy(update={"dtype": dtype(Settings(inner, None))})


def ledger(a: Architecture) -> list[Row]:
    """The rows of an Emu3 text checkpoint."""
    return model(a, LLAMA)
