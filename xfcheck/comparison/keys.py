"""Setting the keys of a config: under the spelling that its class reads, in the object that describes the language model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..rules._context import Context

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ..rules._context import Scope
    from .draft import Draft

Keys = dict[str, Any]
"""Keys of a config object with their new values; `a/b` is key b of the object under a."""


def scopes(draft: Draft) -> list[Scope]:
    """The config objects that describe the language model; none where the value is a model description."""
    return [] if draft.native else Context(draft.model.folder).scopes


def takes(scope: Scope, key: str) -> bool:
    """Whether the file gives the key, or its class reads it."""
    outer = key.partition("/")[0]
    return scope.has(outer) or (scope.table is not None and scope.table.accepts(outer))


def spelt(scope: Scope, key: str) -> str:
    """The spelling to write a key in: the file's, else the class's own."""
    found = scope.found(key)
    return found or (key if scope.table is None else scope.table.canonical(key))


def fitting(
    draft: Draft, candidates: Iterable[Mapping[str, Any]], beside: Callable[[Mapping[str, Any]], Keys] | None = None
) -> Iterator[Draft | Exception]:
    """The draft with each set of keys that an object of its config takes, or why no model is made of it.

    `beside` gives keys of the object that change with them.
    """
    from ..problems import Refused

    tried = list(candidates)
    for scope in scopes(draft):
        for keys in tried:
            if not all(takes(scope, key) for key in keys):
                continue
            along = {} if beside is None else beside(scope.data)
            try:
                yield draft.with_keys(scope.pointer, {**along, **{spelt(scope, key): value for key, value in keys.items()}})
            except Refused as refused:
                yield refused
