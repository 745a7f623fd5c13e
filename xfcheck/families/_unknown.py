"""Configs that no family reads: a decoder as the file's sizes describe it, under whatever names they have.

What is counted is the nearest structure: softmax or latent attention, a plain or a gated feed-forward network, experts where the file
counts some, state-space layers where it gives a state and no heads, a bidirectional encoder where it has token types. Everything that the
file leaves open is an assumption, and every number an estimate. Custom code that the file points to is neither fetched nor run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ._classes import ClassTable, class_table
from ._index import family
from ._read.foreign import DEPTH, HEADS, WIDTH, extended, names, sized
from ._read.settings import Settings
from ._read.structure import decoder
from ._rows.model import model
from ._rows.names import LLAMA, Names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ()

SIZES = (WIDTH, DEPTH, HEADS, "intermediate_size", "vocab_size", "num_key_value_heads", "head_dim")
"""Keys whose class defaults say nothing about an unknown model."""

CLASSIFIER = "ForSequenceClassification"
"""The ending that transformers gives to such classes, and that custom code follows."""


class PartNames(Names):
    """Llama's names, and those of the parts themselves for what Llama does not have."""

    def find(self, key: str, stream: str) -> str:
        """A name for any part."""
        return self.checkpoint.get(key, key.replace(".expert.", ".experts.{expert}."))


NAMES = PartNames(LLAMA.checkpoint, LLAMA.module)


def describes(data: Mapping[str, Any]) -> bool:
    """Whether an object gives the sizes of a Transformer."""
    return sized(data)


def architecture(c: Settings) -> Architecture:
    """The nearest structure to what the file says. Raises Refused XF101 with the key of a size that it does not give."""
    _say(c)
    kind = _kind(c.data)
    if kind is None:
        return decoder(_under(c, _table(c.data)))
    reader, table = family(kind), class_table(kind)
    if reader is None or table is None:
        return decoder(_under(c, _table(c.data)))
    return reader.architecture(_with_inner(c, _under(c, stand_in(table, c.data))))


def ledger(a: Architecture) -> list[Row]:
    """Rows under Llama's names: those of the checkpoint are not known."""
    return model(a, NAMES)


def _kind(data: Mapping[str, Any]) -> str | None:
    """The type whose family reads the structure, null for a decoder of attention layers."""
    usual = {*data, *names(data).values()}
    if HEADS not in usual and "state_size" in usual:
        return "mamba"
    if isinstance(data.get("ssm_cfg"), dict):
        return "mamba2" if data["ssm_cfg"].get("layer") == "Mamba2" else "mamba"
    if {"num_heads", "state_size", "n_groups"} <= usual and "conv_kernel" in usual:
        return "mamba2"
    types = {"type_vocab_size", "sent_type_vocab_size"} & usual
    return "bert" if types and not data.get("is_decoder") else None


def _say(c: Settings) -> None:
    """Note what is guessed as a whole: the type, the class that is named, the code that is not run."""
    kind = _kind(c.data)
    shape = {None: "a decoder", "bert": "a bidirectional encoder"}.get(kind, "a column of state-space layers")
    c.assume(
        "model_type", c.data.get("model_type"), f"no type that is known: read as {shape} from the sizes that the file gives", estimated=True
    )
    mapped = c.data.get("auto_map")
    if isinstance(mapped, dict) and mapped:
        code = ", ".join(sorted({str(value) for value in mapped.values() if isinstance(value, str)}))
        c.assume("auto_map", None, f"custom code decides the structure and is not run: {code or 'see the file'}", estimated=True)
    named = c.data.get("architectures")
    if isinstance(named, list) and named and isinstance(named[0], str):
        c.assume(
            "architectures",
            named[0],
            f"{named[0]} is no class of transformers: its head is taken to be that of a language model",
            estimated=True,
        )
    for name, usual in names(c.data).items():
        c.assume(name, c.data[name], f"read as {usual}")


def _under(c: Settings, table: ClassTable) -> Settings:
    return Settings(c.data, table, pointer=c.pointer, reading=c.reading)


def _table(data: Mapping[str, Any]) -> ClassTable:
    """A class without defaults, that knows the file's spellings."""
    named = data.get("architectures")
    heads = (
        {str(name): "sequence_classification" if str(name).endswith(CLASSIFIER) else "causal" for name in named}
        if isinstance(named, list)
        else {}
    )
    return ClassTable(
        model_type=str(data.get("model_type")), class_name="an unknown class", transformers="", fields={}, aliases=names(data),
        sub_configs={}, sub_defaults={}, sub_optional=frozenset(), kwargs=frozenset(), default_theta=None, architectures=heads, models={},
        reads=frozenset(), unread=frozenset(), published="custom code",
    )  # fmt: skip


def _with_inner(c: Settings, under: Settings) -> Settings:
    """The same with an inner width of four times the width, where an encoder's file gives none."""
    table = under.table
    if table is None or not table.declares("intermediate_size") or under.has("intermediate_size") or not under.has(WIDTH):
        return under
    inner = 4 * under.int(WIDTH)
    c.assume("intermediate_size", inner, "four times the width, as in BERT", estimated=True)
    return Settings({**c.data, "intermediate_size": inner}, table, pointer=c.pointer, reading=c.reading)


def stand_in(table: ClassTable, data: Mapping[str, Any]) -> ClassTable:
    """The table of a class that stands in for an unknown one, with the file's spellings and without sizes of its own."""
    own = {table.canonical(key) for key in SIZES}
    fields = {key: (types, None if key in own else value) for key, (types, value) in table.fields.items()}
    spelt = {name: table.canonical(usual) for name, usual in names(data).items() if table.declares(usual) and not table.declares(name)}
    heads = {**_table(data).architectures, **table.architectures}
    return replace(extended(table, spelt), fields=fields, architectures=heads)
