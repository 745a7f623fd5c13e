"""A training recipe of another tool, read into the `train` section, with what the tool makes of it beyond that section."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..documents.document import escape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..documents.document import Document
    from ..rules._finding import Hit, Severity

Source = Literal["mapping", "overrides", "flags", "python"]
"""How a recipe is written: nested keys (YAML), keys that a command puts over a file (`a.b=c`), flags of a command, or calls in Python."""


LONGEST_JSON = 20_000
"""Characters of an object on a command line that is read."""
UNKNOWN = object()
"""The value of a key that is written, where it is not known without running the script."""


class Written(NamedTuple):
    """A recipe as text before any tool is asked: nested keys with their places in `document`."""

    document: Document
    data: dict[str, Any]
    source: Source
    text: str

    @property
    def nested(self) -> bool:
        """Whether keys stand below one another, as in YAML."""
        return self.source in ("mapping", "overrides")


class Found(NamedTuple):
    """A value of the recipe and its JSON pointer."""

    value: Any
    pointer: str


class Keys:
    """Keys of one or several objects of a recipe, the first that has one wins; `-` and `_` are one in the names of flags.

    `flat`: the objects are written in one value, which is where each of their keys stands.
    """

    def __init__(self, *scopes: tuple[Mapping[str, Any], str], flat: bool = False) -> None:
        self.scopes, self.flat = scopes, flat

    def find(self, *names: str) -> Found | None:
        """The first of these names that is written with a value."""
        for name in names:
            for data, pointer in self.scopes:
                for spelling in dict.fromkeys((name, name.replace("_", "-"), name.replace("-", "_"))):
                    if spelling in data and data[spelling] is not None:
                        return Found(data[spelling], pointer if self.flat else f"{pointer}/{escape(spelling)}")
        return None

    def has(self, *names: str) -> bool:
        """Whether one of the names is written, null included."""
        return any(s in data for data, _ in self.scopes for n in names for s in (n, n.replace("_", "-"), n.replace("-", "_")))

    def whole(self, *names: str) -> Found | None:
        """A whole number under one of the names."""
        found = self.find(*names)
        if found is not None and isinstance(found.value, float) and found.value.is_integer():
            found = found._replace(value=int(found.value))
        return found if found is not None and isinstance(found.value, int) and not isinstance(found.value, bool) else None

    def text(self, *names: str) -> Found | None:
        """A string under one of the names."""
        found = self.find(*names)
        return found if found is not None and isinstance(found.value, str) else None

    def flag(self, *names: str) -> Found | None:
        """A switch under one of the names; `yes`, `1` and `true` in quotes are switches of command lines."""
        found = self.find(*names)
        if found is None or isinstance(found.value, bool):
            return found
        word = str(found.value).strip().lower()
        if word in ("true", "1", "yes"):
            return found._replace(value=True)
        return found._replace(value=False) if word in ("false", "0", "no") else None

    def on(self, *names: str) -> Found | None:
        """A switch that is written and true."""
        found = self.flag(*names)
        return found if found is not None and found.value is True else None

    def off(self, *names: str) -> Found | None:
        """A switch that is written and false."""
        found = self.flag(*names)
        return found if found is not None and found.value is False else None

    def below(self, *names: str) -> Keys:
        """The keys of the object under one of the names, in JSON on a command line; none where it is no object."""
        found = self.find(*names)
        if found is None:
            return Keys()
        if isinstance(found.value, str) and found.value[:1] == "{" and len(found.value) < LONGEST_JSON:
            try:
                value = json.loads(found.value)
            except (ValueError, RecursionError):
                return Keys()
            return Keys((value, found.pointer), flat=True) if isinstance(value, dict) else Keys()
        return Keys((found.value, found.pointer)) if isinstance(found.value, dict) else Keys()

    def all(self) -> Iterator[str]:
        """Every name written, as it is written."""
        for data, _ in self.scopes:
            yield from data


class Note(NamedTuple):
    """Something that a rule says of a recipe."""

    code: str
    message: str
    pointer: str = ""
    help: str | None = None
    severity: Severity | None = None
    related: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Recipe:
    """What a recipe says.

    `tool` as it is known, `framework` its name in the `train` section. `base_model` is the id or path that the recipe names: its files are
    not at hand. `train` are keys of the `train` section, `places` where the recipe says each (by `/train/...`). `notes` are what the tool
    itself makes of the keys: refusals, options without effect, defaults of a version. `partial` where the rest of the recipe is in another
    file: what is not written here has no default.
    """

    tool: str
    framework: str
    base_model: Found | None = None
    train: dict[str, Any] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    partial: bool = False

    def take(self, key: str, found: Found | None, value: Any = None) -> None:
        """Set a key of the `train` section from a value of the recipe, or from what that value means."""
        if found is not None:
            self.train[key] = found.value if value is None else value
            self.places[f"/train/{key}"] = found.pointer

    def mask(self, **keys: Any) -> None:
        """Set keys of `train.loss_mask`."""
        self.train.setdefault("loss_mask", {}).update(keys)

    def note(
        self, code: str, message: str, at: Found | str | None = None, help: str | None = None, severity: Severity | None = None
    ) -> None:
        """Have a rule say something, at a value of the recipe."""
        self.notes.append(Note(code, message, at.pointer if isinstance(at, Found) else at or "", help, severity))

    def placed(self, hit: Hit) -> Hit:
        """A finding about the `train` section at the recipe's own key."""
        related = tuple(
            r._replace(pointer=self._place(r.pointer), file=None) if r.file == "xfcheck.yaml" else r for r in hit.related
        )  # fmt: skip
        return hit._replace(pointer=self._place(hit.pointer), file=None, related=related) if hit.file == "xfcheck.yaml" else hit

    def _place(self, pointer: str) -> str:
        while pointer and pointer not in self.places:
            pointer = pointer.rpartition("/")[0]
        return self.places.get(pointer, "")
