"""A config as its class reads it: spellings, class defaults, and a note of every key that was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from ...problems import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .._classes import ClassTable

LARGEST = 10**12
"""No size of a model is above this; a bound keeps products of mistyped sizes readable and fast."""

Whole = int
"""The type of whole numbers, in a class whose method hides its name."""


class Assumption(NamedTuple):
    """A value that the file does not give: `field` is the key (as a pointer), `why` names who gives it."""

    field: str
    value: Any
    why: str


@dataclass(slots=True, eq=False, repr=False, match_args=False)
class Reading:
    """What was read while an architecture was made: `asked` every key with the pointer it was found at (null: class default)."""

    assumptions: dict[str, Assumption] = field(default_factory=dict)
    asked: dict[str, str | None] = field(default_factory=dict)
    estimated: list[str] = field(default_factory=list)


class Settings:
    """The keys of one config object (the root, or a nested one) under the class that reads it.

    `settings.int("hidden_size")` gives the value in any spelling that the class accepts (its `attribute_map`), else the class default,
    which is noted as an assumption. Where a file holds two spellings of one key, the one the class does not declare wins, as in
    transformers 5.24 (extra keys are set after the declared ones). A value of a wrong type raises Refused with its pointer.
    """

    __slots__ = ("data", "pointer", "reading", "table")

    def __init__(self, data: Mapping[str, Any], table: ClassTable | None, *, pointer: str = "", reading: Reading | None = None) -> None:
        self.data, self.table, self.pointer = data, table, pointer
        self.reading = Reading() if reading is None else reading

    # ---- looking up

    def found(self, key: str) -> str | None:
        """The spelling under which the file gives the key, null where it does not."""
        for name in self.spellings(key):
            if name in self.data:
                return name
        return None

    def spellings(self, key: str) -> Iterable[str]:
        """The names a file may use for the key, the one that wins first."""
        return (key,) if self.table is None else spellings(self.table, key)

    def has(self, key: str) -> bool:
        """Whether the file gives the key, null included."""
        return self.found(key) is not None

    def raw(self, key: str, *, noted: bool = True) -> Any:
        """The value as it stands: the file's, else the class default (noted as an assumption unless `noted` is false), else null."""
        name = self.found(key)
        if name is not None:
            self.reading.asked[f"{self.pointer}/{name}"] = f"{self.pointer}/{name}"
            return self.data[name]
        if self.table is None or not self.table.declares(key):
            return None
        value = self.table.default(key)
        where = f"{self.pointer}/{key}"
        self.reading.asked[where] = None
        if noted and value is not None and where not in self.reading.assumptions:
            self.reading.assumptions[where] = Assumption(where, value, f"class default of {self.table.class_name}, {self.table.source}")
        return value

    def at(self, key: str) -> str:
        """The JSON pointer of the key, where the file gives it or would."""
        return f"{self.pointer}/{self.found(key) or key}"

    def assume(self, key: str, value: Any, why: str, *, estimated: bool = False) -> None:
        """Note a guess or a value from elsewhere; `estimated` lowers the fidelity of what rests on it."""
        where = f"{self.pointer}/{key}"
        self.reading.assumptions[where] = Assumption(where, _finite(value), why)
        if estimated:
            self.reading.estimated.append(where)

    # ---- typed values

    def int(self, key: str, *, minimum: Whole = 1, maximum: Whole = LARGEST) -> Whole:
        """A whole number that must be there. Raises Refused: XF101 where missing, XF113 for another type, XF117 or XF118 out of range."""
        value = self.raw(key)
        if value is None:
            if self.found(key) is not None:
                raise self.refuse(key, f"{key} is null, a whole number is needed")
            raise Refused(f"needs the key {key!r}: the class gives no value", code="XF101", pointer=self.at(key), help=f'write "{key}"')
        return self._whole(key, value, minimum, maximum)

    def optional_int(self, key: str, *, minimum: Whole = 0, maximum: Whole = LARGEST) -> Whole | None:
        """A whole number, or null."""
        value = self.raw(key)
        return None if value is None else self._whole(key, value, minimum, maximum)

    def _whole(self, key: str, value: Any, minimum: Whole, maximum: Whole) -> Whole:
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.refuse(key, f"{key} is {_shown(value)}, a whole number is needed")
        if value < minimum:
            raise self.refuse(key, f"{key} is {value}, at least {minimum} is needed", code="XF117")
        if value > maximum:
            raise self.refuse(key, f"{key} is {value}, above {maximum:,}", code="XF118")
        return value

    def flag(self, key: str, default: bool = False) -> bool:
        """A switch; null and absence give the class default, else `default`."""
        value = self.raw(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.refuse(key, f"{key} is {_shown(value)}, true or false is needed")
        return value

    def number(self, key: str, *, noted: bool = False) -> float | None:
        """A number that moves no size (an epsilon, a scale), or null; not noted as an assumption."""
        value = self.raw(key, noted=noted)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refuse(key, f"{key} is {_shown(value)}, a number is needed")
        if isinstance(value, float) and not isfinite(value):
            raise self.refuse(key, f"{key} is {_shown(value)}, a finite number is needed", code="XF118")
        return value

    def text(self, key: str, default: str | None = None) -> str | None:
        """A string that moves no size, or null."""
        value = self.raw(key, noted=False)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.refuse(key, f"{key} is {_shown(value)}, a string is needed")
        return value

    def list(self, key: str) -> list[Any] | None:
        """A list, or null."""
        value = self.raw(key)
        if value is not None and not isinstance(value, list):
            raise self.refuse(key, f"{key} is {_shown(value)}, a list is needed")
        return value

    def mapping(self, key: str) -> dict[str, Any] | None:
        """An object, or null."""
        value = self.raw(key, noted=False)
        if value is not None and not isinstance(value, dict):
            raise self.refuse(key, f"{key} is {_shown(value)}, an object is needed")
        return value

    def nested(self, key: str, table: ClassTable | None) -> Settings:
        """The settings of a nested object under its own class; an absent or null one is read from class defaults alone."""
        value = self.mapping(key)
        return Settings(value or {}, table, pointer=self.at(key), reading=self.reading)

    def refuse(self, key: str, message: str, *, code: str = "XF113", help: str | None = None) -> Refused:
        """The exception to raise about a key."""
        return Refused(message, code=code, pointer=self.at(key), help=help)


@lru_cache(maxsize=4096)
def spellings(table: ClassTable, key: str) -> tuple[str, ...]:
    """The names that a file may use for a key of a class, undeclared ones first: they are set last and win."""
    related = {key, table.aliases.get(key, key)}
    related |= {alias for alias, own in table.aliases.items() if own in related}
    return tuple(sorted(related, key=lambda name: (name in table.fields, name != key)))


def _finite(value: Any) -> Any:
    """The value without numbers that JSON has no word for."""
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return None if isinstance(value, float) and not isfinite(value) else value


def _shown(value: Any) -> str:
    """A value in a message, cut where long."""
    text = repr(value) if not isinstance(value, str) else f'"{value}"'
    return text if len(text) <= 60 else text[:57] + "..."
