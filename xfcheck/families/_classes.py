"""Class tables: what transformers' config classes declare, so that a missing key gets the value that a loader would give it.

Source: the JSON files in `_tables/`, written by `scripts/class_tables.py` from transformers 5.24.0, one a config class. Nothing is read
at import; a table is read when it is first asked for. A model type comes from a file that nobody vouches for: it is looked up in the
generated index and never becomes part of a path.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

_FOLDER = Path(__file__).with_name("_tables")
_FLOATS = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}


class Owner(NamedTuple):
    """Whose a model class is: the model type (or part) of its table, and its head kind there."""

    model_type: str
    head: str


class BaseTable(NamedTuple):
    """What every config class has: fields of PreTrainedConfig and keys that it takes, drops or reads whatever the class.

    `kwargs` are undeclared keys with a meaning (`torch_dtype`, `rope_scaling`, ...), `generation` are generation parameters that a loader
    drops, `properties` are attributes with a setter or a derived value, `library_reads` are names that code shared by all models reads.
    """

    fields: dict[str, tuple[tuple[str, ...], Any]]
    kwargs: frozenset[str]
    generation: frozenset[str]
    properties: frozenset[str]
    library_reads: frozenset[str]


@dataclass(slots=True, eq=False, repr=False, match_args=False)
class ClassTable:
    """One config class.

    `fields` maps a declared name to (JSON types, default); types are "int", "float", "str", "bool", "list", "dict", "null", "any".
    A default is null where the class has none or where it is a sub-config. `aliases` is the class's `attribute_map`, other name to own
    name. `sub_configs` maps a key to the table of its default class, `sub_defaults` to the values that this class makes it with,
    `sub_optional` are those that may stay null. `kwargs` are undeclared keys that its initialiser looks up. `default_theta` is the rope
    base where neither the file nor `rope_parameters` gives one. `architectures` maps a model class to its head kind. `models` maps it to
    `tied` (weight to weight), `tie`, `prefix` (base model prefix), `unexpected` (patterns of checkpoint keys that are not loaded) and
    `fp32` (modules kept in fp32 for bf16 too). `reads` are undeclared names that the sources read off the config: a file may give them.
    `unread` are declared fields that no source of the model nor shared code mentions.

    `tie` says what decides the tying: "config" the key `tie_word_embeddings`, "either" that key or the one in `text_config`, a field name
    that field, "always" nothing switches it off, "computed" code; it is absent where the class itself has nothing to tie, though a model
    inside it may (FSMT). `published`: the file that holds a class which transformers does not have.
    """

    model_type: str
    class_name: str
    transformers: str
    fields: dict[str, tuple[tuple[str, ...], Any]]
    aliases: dict[str, str]
    sub_configs: dict[str, str]
    sub_defaults: dict[str, dict[str, Any]]
    sub_optional: frozenset[str]
    kwargs: frozenset[str]
    default_theta: float | dict[str, float] | None
    architectures: dict[str, str]
    models: dict[str, dict[str, Any]]
    reads: frozenset[str]
    unread: frozenset[str]
    published: str | None = None

    @property
    def source(self) -> str:
        """Where the class is written: transformers and its version, or the file of a class that is published beside its checkpoint."""
        return self.published or f"transformers {self.transformers}"

    def canonical(self, key: str) -> str:
        """Declared name of a key, through an alias in either direction; the key itself where no alias leads to a declared one."""
        return key if key in self.fields else _canonical(self, key)

    def declares(self, key: str) -> bool:
        """True where the class or PreTrainedConfig declares the key, under this name or an alias."""
        return self._row(key) is not None

    def default(self, key: str) -> Any:
        """Class default of a key, None where it is not declared (ask `declares`); a fresh value a call, so that it may be changed."""
        row = self._row(key)
        return None if row is None else _copied(row[1])

    def types(self, key: str) -> tuple[str, ...]:
        """JSON types that the class admits for a key, empty where it is not declared. A float field refuses an int, as the class does."""
        row = self._row(key)
        return () if row is None else row[0]

    def accepts(self, key: str) -> bool:
        """True where a loader gives the key a meaning: declared, an alias, looked up at initialisation, or read by the sources."""
        return key in self.fields or _accepts(self, key)

    def _row(self, key: str) -> tuple[tuple[str, ...], Any] | None:
        row = self.fields.get(self.canonical(key))
        return base_table().fields.get(key) if row is None else row


@functools.lru_cache(maxsize=8192)
def _canonical(table: ClassTable, key: str) -> str:
    target = table.aliases.get(key)
    if target is not None and target in table.fields:
        return target
    return next((alias for alias, own in table.aliases.items() if own in (key, target) and alias in table.fields), key)


@functools.lru_cache(maxsize=8192)
def _accepts(table: ClassTable, key: str) -> bool:
    base = base_table()
    known = (table.aliases, table.kwargs, table.reads, table.sub_configs, base.kwargs, base.generation, base.properties)
    return table.declares(key) or any(key in names for names in known)


def class_table(model_type: object) -> ClassTable | None:
    """Table of a model type, or of a part that has none of its own (`MptAttentionConfig`); None for anything else, of whatever kind."""
    index = _index()
    file = (index["types"].get(model_type) or index["parts"].get(model_type)) if isinstance(model_type, str) else None
    return None if file is None else _table(file)


@functools.cache
def _table(file: str) -> ClassTable:
    raw = _load(file)
    return ClassTable(
        model_type=raw["model_type"],
        class_name=raw["class"],
        transformers=raw["transformers"],
        fields=_rows(raw["fields"]),
        aliases=raw["aliases"],
        sub_configs=raw["sub_configs"],
        sub_defaults=raw["sub_defaults"],
        sub_optional=frozenset(raw["sub_optional"]),
        kwargs=frozenset(raw["kwargs"]),
        default_theta=raw["default_theta"],
        architectures=raw["architectures"],
        models=raw["models"],
        reads=frozenset(raw["reads"]),
        unread=frozenset(raw["unread"]),
    )


@functools.cache
def base_table() -> BaseTable:
    """What PreTrainedConfig gives to every class."""
    raw = _load("_base.json")
    names = {key: frozenset(raw[key]) for key in ("kwargs", "generation", "properties", "library_reads")}
    return BaseTable(fields=_rows(raw["fields"]), **names)


def known_types() -> frozenset[str]:
    """Model types that transformers can load."""
    return frozenset(_index()["types"])


def architecture_owner(class_name: str) -> Owner | None:
    """Model type and head kind of a model class such as `LlamaForCausalLM`; None where transformers has no such class."""
    row = _architectures().get(class_name)
    return None if row is None else Owner(*row)


@functools.cache
def _index() -> dict[str, Any]:
    return _load("_index.json")


@functools.cache
def _architectures() -> dict[str, list[str]]:
    return _load("_architectures.json")


def _load(file: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_FOLDER / file).read_bytes(), object_hook=_float)
    return found


def _float(value: dict[str, Any]) -> Any:
    return _FLOATS[value["__float__"]] if len(value) == 1 and "__float__" in value else value


def _rows(raw: dict[str, list[Any]]) -> dict[str, tuple[tuple[str, ...], Any]]:
    return {name: (tuple(types), default) for name, (types, default) in raw.items()}


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return {key: _copied(item) for key, item in value.items()} if isinstance(value, dict) else value
