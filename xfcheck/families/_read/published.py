"""Classes that are published beside their checkpoints and that transformers does not have: their defaults and spellings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._classes import ClassTable
from .settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping


def published(model_type: str, class_name: str, source: str, *, defaults: Mapping[str, Any], aliases: Mapping[str, str] | None = None,
              models: Mapping[str, str] | None = None, theta: float | None = 10000.0) -> ClassTable:  # fmt: skip
    """The table of a published class.

    `source`: the file it is written in, and where that lies. `defaults`: key -> the class's default. `aliases`: another name -> the class's
    name, of the keys that the reading code asks for by another name. `models`: model class -> head kind (default `causal` for none).
    """
    return ClassTable(
        model_type=model_type, class_name=class_name, transformers="", fields={key: (("any",), value) for key, value in defaults.items()},
        aliases=dict(aliases or {}), sub_configs={}, sub_defaults={}, sub_optional=frozenset(), kwargs=frozenset(), default_theta=theta,
        architectures=dict(models or {}), models={}, reads=frozenset(), unread=frozenset(), published=source,
    )  # fmt: skip


def under(c: Settings, table: ClassTable, **usual: Any) -> Settings:
    """The same config under another class.

    `usual` are the switches of the checkpoints whose published totals confirm the family: another value, and another head than that of the
    language model, is read from the class alone, so the numbers are estimates.
    """
    settings = Settings(c.data, table, pointer=c.pointer, reading=c.reading)
    for key, value in usual.items():
        if (given := settings.raw(key)) != value:
            c.assume(
                settings.found(key) or key, given, "read from the class alone: no published total confirms this switch", estimated=True
            )
    named = c.data.get("architectures")
    head = table.architectures.get(named[0]) if isinstance(named, list) and named and isinstance(named[0], str) else "causal"
    if head not in ("causal", None):
        c.assume("architectures", named, "read from the class alone: no published total confirms this head", estimated=True)
    return settings


def like(c: Settings, why: str) -> None:
    """Note that the structure is taken from what is published of the class, unconfirmed by a checkpoint's total."""
    c.assume("model_type", c.data.get("model_type"), why, estimated=True)
