"""Token ids where the files of a model give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .._context import Context

TOKENIZER = ("file:tokenizer.json", "file:tokenizer_config.json", "file:special_tokens_map.json", "file:added_tokens.json")
"""Any of these brings a tokenizer."""


class Ids(NamedTuple):
    """The ids that a file gives under a key, and where; `default`: the class gives them, no file does."""

    ids: tuple[int, ...]
    pointer: str
    file: str | None = None
    default: bool = False

    def __str__(self) -> str:
        return str(self.ids[0]) if len(self.ids) == 1 else str(list(self.ids))


def ids(value: Any) -> tuple[int, ...]:
    """An id or a list of them; nothing for any other value."""
    found = value if isinstance(value, list) else [value]
    return tuple(i for i in found if isinstance(i, int) and not isinstance(i, bool))


def config_ids(context: Context, key: str) -> Ids | None:
    """What the config says: its root, else its text model, else the class default; null where nothing gives an id."""
    for scope in (context.root, *context.scopes):
        if scope.has(key):
            found = ids(scope.value(key))
            if found:
                return Ids(found, scope.at(key))
    if any(scope.has(key) for scope in context.scopes):
        return None
    for scope in context.scopes:
        found = ids(scope.value(key))
        if found:
            return Ids(found, scope.at(key), default=True)
    return None


def generation_ids(context: Context, key: str) -> Ids | None:
    """What generation_config.json says, null where it is not there or gives none."""
    data = context.side("generation_config.json") if "generation_config.json" in context.folder.beside() else None
    found = ids(data.get(key)) if isinstance(data, dict) else ()
    return Ids(found, f"/{key}", "generation_config.json") if found else None


def generates(context: Context) -> bool:
    """Whether the model writes text token by token."""
    model = context.model
    return model is not None and model.architecture.head.kind in ("causal", "seq2seq")


def embedding_rows(context: Context) -> tuple[int, str] | None:
    """Rows of the token table that is built, and the pointer of the key that says so."""
    scope = context.scopes[0]
    model = context.model
    if model is not None and model.architecture.embedding is not None:
        return model.architecture.embedding.rows, scope.at("vocab_size")
    rows = scope.whole("vocab_size")
    return None if rows is None else (rows, scope.at("vocab_size"))


def shown(token: str | None) -> str:
    """A token for a message, null as nothing known."""
    return "a token" if token is None else repr(token[:40])
