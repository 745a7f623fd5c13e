"""What an answer consists of, and where its evidence comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..rules._context import Context, Scope


class Evidence(NamedTuple):
    """Where a value was read: a file with pointer and line, or the class that fills it in, or what it follows from.

    `source` is `file`, `class default`, `derived` or `class code`; `detail` says it in words.
    """

    source: str
    detail: str
    file: str | None = None
    pointer: str | None = None
    line: int | None = None
    value: Any = None


class Answer(NamedTuple):
    """One part of a question: `field` in the architecture's words, its value, the evidence.

    Without evidence it is not answered, and `missing` says what file or key would answer it.
    """

    field: str
    value: Any
    evidence: Evidence | None
    missing: str | None = None


LAYERS = " layers "
"""Before the layers that a field is about."""


def of_layers(field: str, value: Any) -> tuple[str, Any]:
    """Field and value of an answer with a number of layers instead of their list: `mask of text`, `sliding on 21 layers`.

    Of two depths the same mask has the same field then, and of many layers nobody reads a list.
    """
    name, said, layers = field.partition(LAYERS)
    if not said:
        return field, value
    from ..architecture.layers import LayerSet

    count = len(LayerSet.parse(layers))
    return name, f"{value} on {count} layer{'' if count == 1 else 's'}"


def from_key(context: Context, scope: Scope, field: str, value: Any, *keys: str, missing: str | None = None) -> Answer:
    """An answer whose evidence is the first of the keys that the file gives, else the class default of one of them.

    What the language model's part of a composite does not say, its root may, with the same value.
    """
    for holder in (scope, context.root) if scope.pointer else (scope,):
        name = next((found for key in keys if (found := holder.found(key)) is not None), None)
        if name is not None and (holder is scope or holder.data[name] == value):
            pointer = f"{holder.pointer}/{name}"
            place = context.document.locate(pointer)
            file = context.document.path.rpartition("/")[2]
            detail = f"{file} {pointer}"
            return Answer(field, value, Evidence("file", detail, file, pointer, place[0] if place else None, holder.data[name]))
    for key in keys:
        if scope.table is not None and scope.table.declares(key):
            detail = f"class default of {scope.table.model_type} ({scope.table.class_name}, transformers {scope.table.transformers})"
            return Answer(field, value, Evidence("class default", detail, value=scope.table.default(key)))
    if value is not None and missing is None:
        return Answer(field, value, Evidence("class code", f"what {scope.model_type} builds"))
    return Answer(field, None, None, missing or f"{' or '.join(keys)} in the config")


def derived(field: str, value: Any, how: str) -> Answer:
    """An answer that follows from others."""
    return Answer(field, value, Evidence("derived", how, value=value))


def of_class(scope: Scope, field: str, value: Any) -> Answer:
    """An answer that the model's code fixes whatever the file says."""
    version = f", transformers {scope.table.transformers}" if scope.table is not None else ""
    return Answer(field, value, Evidence("class code", f"what {scope.model_type} builds{version}", value=value))


def unanswered(field: str, missing: str) -> Answer:
    """A part that nothing at hand answers."""
    return Answer(field, None, None, missing)


def setting(context: Context, section: str, key: str, field: str) -> Answer:
    """An answer from xfcheck.yaml, which holds what a config cannot say."""
    value = getattr(getattr(context, section), key, None)
    if value is None:
        return unanswered(field, f"{section}.{key} in xfcheck.yaml")
    document = context.folder.side("xfcheck.yaml")
    place = None if document is None else document.locate(f"/{section}/{key}")
    shown = value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else value
    return Answer(
        field,
        shown,
        Evidence("file", f"xfcheck.yaml /{section}/{key}", "xfcheck.yaml", f"/{section}/{key}", place[0] if place else None, shown),
    )
