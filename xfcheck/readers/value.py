"""A value as a reader sees it, with its origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..documents.document import Document
    from ..families._read.settings import Settings


class Value(NamedTuple):
    """What a reader takes for a key.

    `source`: `file` (at `pointer`), `class default` (the class and its version in `detail`), `reader default`, or `derived` (from the keys
    in `detail`; `pointer` is that of the first of them that the file gives).
    """

    value: Any
    source: str
    detail: str
    pointer: str | None = None

    def as_json(self, document: Document | None) -> dict[str, Any]:
        """The object of a report, with the line that holds it."""
        place = None if document is None or self.pointer is None else document.locate(self.pointer)
        return {
            "value": self.value, "source": self.source, "detail": self.detail, "pointer": self.pointer,
            "line": None if place is None else place[0],
        }  # fmt: skip


class View(NamedTuple):
    """What a reader makes of a config.

    `values` by dotted name in the words of the config's class; `unread` are keys of the file, by pointer, and why the reader leaves them;
    `refused` says why the reader does not load the file (its values are then what the file says). `partial`: it carries some keys alone.
    """

    reader: str
    version: str
    values: dict[str, Value]
    unread: dict[str, str]
    refused: str | None
    partial: bool = False


def given(scope: Settings, key: str, detail: str = "") -> Value | None:
    """The file's value of a key in any spelling, null where it gives none."""
    name = scope.found(key)
    if name is None:
        return None
    return Value(scope.data[name], "file", detail or name, f"{scope.pointer}/{name}")


def class_default(scope: Settings, value: Any) -> Value:
    """A value that the class fills in."""
    table = scope.table
    said = "class default" if table is None else f"{table.class_name}, transformers {table.transformers}"
    return Value(value, "class default", said)
