"""As few layers as keep every kind of block."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from .keys import DEPTHS, PATTERNS
from .signature import read, signature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..families._classes import ClassTable
    from ..model import Model


def shallow(data: dict[str, Any], model: Model, *, even: bool) -> dict[str, Any]:
    """The config with as few layers as keep every kind of block."""
    if model.family == "native":
        return _one_each(data)
    wanted = signature(model, even=even)
    for path, depth in list(_depths(data, model)):
        for fewer in range(1, min(depth, 64)):
            cut = next(
                (
                    c
                    for c in _cuts(data, path, depth, fewer)
                    if (made := read(c, model)) is not None and signature(made, even=even) == wanted
                ),
                None,
            )
            if cut is not None:
                data = cut
                break
    return data


def _one_each(data: dict[str, Any]) -> dict[str, Any]:
    """A description with one layer of each kind of block (two of a shared one), in order."""
    from ..architecture.layers import LayerSet

    out = copy.deepcopy(data)
    for stack in out.get("stacks", []):
        held = sorted(stack["blocks"], key=lambda b: min(LayerSet._validate(b["layers"])))
        index = 0
        for block in held:
            count = min(2 if any(s.get("shared") for s in block["sublayers"]) else 1, len(LayerSet._validate(block["layers"])))
            block["layers"] = str(index) if count == 1 else f"{index}-{index + count - 1}"
            index += count
    return out


def _depths(data: dict[str, Any], model: Model) -> Iterator[tuple[tuple[str, ...], int]]:
    """Where numbers of layers stand in the file or are given by the class: (path of keys, number)."""
    for path, inner, table in objects(data, model.settings.table):
        seen: set[int] = set()
        for key in sorted(DEPTHS, key=lambda k: (k not in inner, k)):
            value = inner.get(key, table.fields[key][1] if table is not None and key in table.fields else None)
            alias = table.aliases.get(key, key) if table is not None else key
            if isinstance(value, int) and not isinstance(value, bool) and value > 1 and hash(alias) not in seen:
                seen.add(hash(alias))
                yield (*path, key), value
        for key in PATTERNS:
            if isinstance(inner.get(key), str | list) and len(inner[key]) > 1 and not seen:
                yield (*path, key), len(inner[key])


def objects(
    data: dict[str, Any], table: ClassTable | None, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], dict[str, Any], ClassTable | None]]:
    """The config and the configs inside it, each with its class table."""
    from ..families._classes import class_table

    yield path, data, table
    for key, part in ({} if table is None else table.sub_configs).items():
        inner = data.get(key)
        if isinstance(inner, dict):
            named = inner.get("model_type")
            yield from objects(inner, class_table(named) if isinstance(named, str) else class_table(part), (*path, key))


def opened(data: dict[str, Any], table: ClassTable | None) -> dict[str, Any]:
    """The config with the configs inside it that its class would make of nothing, so that their sizes can be written out."""
    from ..families._classes import class_table

    out = dict(data)
    for key, part in ({} if table is None else table.sub_configs).items():
        held = out.get(key)
        if held is None and key not in (table.sub_optional if table is not None else ()):
            inner = class_table(part)
            named = {"model_type": part} if inner is not None and inner.model_type == part else {}
            held = {**named, **(table.sub_defaults.get(key, {}) if table is not None else {})}
        if isinstance(held, dict):
            kind = held.get("model_type")
            out[key] = opened(held, class_table(kind if isinstance(kind, str) else part))
    return out


def _cuts(data: dict[str, Any], path: tuple[str, ...], depth: int, fewer: int) -> Iterator[dict[str, Any]]:
    """The config with `fewer` layers: lists a layer long keep their beginning, or one entry of each value."""
    for pick in (lambda items: items[:fewer], lambda items: _varied(items, fewer)):
        out = copy.deepcopy(data)
        inner = out
        for key in path[:-1]:
            inner = inner[key]
        if path[-1] not in PATTERNS:
            inner[path[-1]] = fewer
        for key, value in inner.items():
            if isinstance(value, list) and len(value) == depth:
                inner[key] = pick(value)
            elif isinstance(value, dict) and value and all(index.isdecimal() for index in value):
                inner[key] = {index: held for index, held in value.items() if int(index) < fewer}
            elif isinstance(value, str) and len(value) == depth and key not in ("model_type", "dtype", "torch_dtype"):
                inner[key] = "".join(pick(list(value)))
        yield out


def _varied(items: list[Any], count: int) -> list[Any]:
    first: list[int] = []
    for i, item in enumerate(items):
        if len(first) == count:
            break
        if all(items[other] != item for other in first):
            first.append(i)
    taken = set(first)
    rest = [i for i in range(len(items)) if i not in taken]
    return [items[i] for i in sorted(first + rest[: count - len(first)])]
