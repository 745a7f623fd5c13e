"""Gemma 4's drafting assistants: a small decoder whose layers all read the keys of the model they draft for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._classes import class_table
from ._read.decoder import causal_model
from ._read.gemma4 import gemma4_stack, per_layer_width
from ._read.settings import Settings
from ._rows.gemma_names import GEMMA4
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("gemma4_assistant", "gemma4_unified_assistant")

INNER = {"gemma4_assistant": "gemma4_text", "gemma4_unified_assistant": "gemma4_unified_text"}


def architecture(c: Settings) -> Architecture:
    """The decoder between a map from the drafted model's states and one back; layers share their keys unless the file counts otherwise."""
    own = "" if c.table is None else c.table.model_type
    inner = dict(c.mapping("text_config") or {})
    t = Settings(inner, class_table(str(inner.get("model_type") or INNER[own])), pointer=c.at("text_config"), reading=c.reading)
    if not t.optional_int("num_kv_shared_layers"):
        t = Settings({**inner, "num_kv_shared_layers": t.int("num_hidden_layers")}, t.table, pointer=t.pointer, reading=t.reading)
    if own == "gemma4_assistant":
        _plain(t)
    stack = gemma4_stack(t)
    backbone, hidden, rows = c.int("backbone_hidden_size"), stack.hidden_size, t.int("vocab_size")
    beside = [Projection(name="before", shape=[hidden, 2 * backbone]), Projection(name="after", shape=[backbone, hidden])]
    if c.flag("use_ordered_embeddings"):
        beside.append(Projection(name="centroids", shape=[c.int("num_centroids"), hidden]))
        beside.append(Projection(name="ordering", shape=[rows], multiplies=False, buffer=True, dtype="int64"))
    made = causal_model(t, stack, multiplier=hidden**0.5, tied=c.flag("tie_word_embeddings"))
    return made.model_copy(update={"projections": beside})


def _plain(c: Settings) -> None:
    """Raises Refused for what the class refuses: embeddings a layer, experts, double width, layers with keys of their own."""
    wrong = (
        "hidden_size_per_layer_input"
        if per_layer_width(c)
        else "vocab_size_per_layer_input"
        if c.int("vocab_size_per_layer_input", minimum=0)
        else ""
    )
    wrong = wrong or next((key for key in ("enable_moe_block", "use_double_wide_mlp") if c.flag(key)), "")
    if wrong:
        raise c.refuse(wrong, f"an assistant has no {wrong}", code="XF118", help="0 or false")
    if c.int("num_kv_shared_layers") != c.int("num_hidden_layers"):
        raise c.refuse("num_kv_shared_layers", "an assistant shares the keys of all its layers", code="XF118")


def ledger(a: Architecture) -> list[Row]:
    """The rows of an assistant's checkpoint."""
    return model(a, GEMMA4)
