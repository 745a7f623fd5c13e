"""Gemma 4: the language model alone and as part of a model with towers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._classes import class_table
from ._read.decoder import causal_model
from ._read.gemma4 import gemma4_stack
from ._read.head import architecture_name
from ._read.settings import Settings
from ._rows.gemma_names import GEMMA4
from ._rows.model import bare, model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("gemma4", "gemma4_text", "gemma4_unified", "gemma4_unified_text")

INNER = {"gemma4": "gemma4_text", "gemma4_unified": "gemma4_unified_text"}
TOWERS = ("vision_config", "audio_config")


def architecture(c: Settings) -> Architecture:
    """Of a model with towers the language model alone; a tower that the file has is not counted, and the answer is an estimate."""
    t = text(c)
    stack = gemma4_stack(t)
    made = causal_model(
        t, stack, multiplier=stack.hidden_size**0.5, softcap=t.number("final_logit_softcapping"), tied=c.flag("tie_word_embeddings")
    )
    if t is c:
        return made
    for key in TOWERS:
        if isinstance(c.raw(key, noted=False), dict):
            c.assume(key, None, "towers are not counted", estimated=True)
    return made.model_copy(update={"head": made.head.model_copy(update={"prefix": "model.language_model"})})


def text(c: Settings) -> Settings:
    """The settings of the language model; the whole model's classes stand for the language model's of the same head."""
    own = "" if c.table is None else c.table.model_type
    if own not in INNER or c.table is None:
        return c
    table, named = class_table(INNER[own]), architecture_name(c)
    kind = c.table.architectures.get(named or "")
    wanted = {"conditional_generation": "causal", "base": "base"}.get(kind or "")
    inner = [name for name, head in (table.architectures if table is not None else {}).items() if head == wanted]
    outer = {key: c.data[key] for key in ("dtype", "torch_dtype", "quantization_config") if key in c.data}
    classes = {"architectures": inner[:1] or ([named] if named else None)}
    return Settings({**outer, **(c.mapping("text_config") or {}), **classes}, table, pointer=c.at("text_config"), reading=c.reading)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Gemma 4 checkpoint, those of a model with towers under `language_model`."""
    rows = model(a, GEMMA4)
    return bare(rows, "", "language_model.") if a.head.kind == "none" and a.head.prefix is not None else rows
