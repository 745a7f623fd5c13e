"""Changes of a config, one key at a time: every switch of its class, null and absent keys, other counts, other lists, other heads."""

from __future__ import annotations

import json
import random
import zlib
from typing import TYPE_CHECKING, Any

from xfcheck.families._classes import class_table

from .tiny import heads, lists, merged, sizes, tiny

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xfcheck.families._classes import ClassTable

HEADS = ("num_key_value_heads", "num_kv_heads", "swa_num_key_value_heads")
"""Keys of key-value heads: as many as query heads, and one."""

CLASSIFIERS = ("sequence_classification", "token_classification")
"""Head kinds with a row a label."""

PAIRS = 12
"""Pairs of changes tried together."""

Change = tuple[str, dict[str, Any]]
"""Its label, and the whole changed config."""


def variants(model_type: str) -> Iterator[Change]:
    """Every variant of a type, the base first. A label says what was changed: `attention_bias=true`, `head_dim absent`."""
    base = tiny(model_type)
    yield "base", base
    seen = {repr(base)}
    for label, data in _all(model_type, base):
        if repr(data) not in seen:
            seen.add(repr(data))
            yield label, data


def flags(model_type: str) -> Iterator[Change]:
    """The variants that change what a model consists of, without those that only make it larger."""
    return (change for change in variants(model_type) if not change[0].startswith("larger "))


def sampled(model_type: str, label: str, share: int) -> bool:
    """Whether a variant is in the `1 / share` sample, the same in each run."""
    return label == "base" or zlib.crc32(f"{model_type} {label}".encode()) % share == 0


def _all(model_type: str, base: dict[str, Any]) -> Iterator[Change]:
    table = class_table(model_type)
    assert table is not None
    for architecture, kind in heads(model_type).items():
        data = tiny(model_type, architecture)
        yield architecture, data
        if kind in CLASSIFIERS:
            yield f"{architecture} num_labels=3", merged(data, {"num_labels": 3})
            yield f"{architecture} id2label of 4", merged(data, {"id2label": {str(i): f"L{i}" for i in range(4)}})
    yield from ((label, merged(base, change)) for label, change in _changes(table, base))
    yield from ((label, merged(base, change)) for label, change in _legacy(table))
    yield "larger class defaults", {"model_type": model_type, "architectures": base["architectures"]}
    yield from ((label, merged(base, change)) for label, change in sizes()["undeclared"].items() if not set(change) & set(table.fields))
    yield from ((label, merged(base, change)) for label, change in sizes()["combined"].items() if set(change) <= set(table.fields))
    for key, part in table.sub_configs.items():
        inner = class_table(part)
        if inner is not None and isinstance(base.get(key), dict):
            yield from ((f"{key}.{label}", merged(base, {key: change})) for label, change in _changes(inner, base[key]))
    yield from ((label, merged(base, change)) for label, change in sizes()["variants"].get(model_type, {}).items())
    yield from _pairs(model_type, base, [(label, change) for label, change in _changes(table, base) if not label.startswith("larger ")])
    whole = every_key(base)
    if whole:
        yield "every key written", whole


def _pairs(model_type: str, base: dict[str, Any], changes: list[Change]) -> Iterator[Change]:
    """Two changes at once, drawn alike in each run; and one of them under each of the type's other classes."""
    draw = random.Random(zlib.crc32(model_type.encode()))
    for _ in range(PAIRS if len(changes) > 1 else 0):
        (first, one), (second, other) = draw.sample(changes, 2)
        if not set(one) & set(other):
            yield f"{first} and {second}", merged(merged(base, one), other)
    for architecture in list(heads(model_type))[1:] if changes else ():
        label, change = draw.choice(changes)
        yield f"{architecture} and {label}", merged(tiny(model_type, architecture), change)


def every_key(base: dict[str, Any]) -> dict[str, Any] | None:
    """The same config with all defaults written out, as `to_dict` gives it; null where transformers makes no config of it."""
    from .built import loaded_config

    try:
        written = json.loads(loaded_config(base).to_json_string(use_diff=False))
    except Exception:
        return None
    return {**written, "architectures": base["architectures"]}


def _changes(table: ClassTable, base: dict[str, Any]) -> Iterator[Change]:
    """(label, change) for each key of one class."""
    inert = sizes()["inert"]
    for key, (types, default) in table.fields.items():
        if key in inert or key in table.sub_configs:
            continue
        value = base.get(key, default)
        if "bool" in types:
            yield f"{key}={str(not value).lower()}", {key: not value}
        for other in sizes()["others"].get(key, ()):
            if other != value:
                yield f"{key}={other}", {key: other}
        if key in HEADS:
            queries = base.get("num_attention_heads", base.get("n_head"))
            yield from ((f"{key}={n}", {key: n}) for n in (queries, 1) if n is not None and n != value)
        if isinstance(value, int) and not isinstance(value, bool) and "int" in types:
            if key in base:
                yield f"larger {key}", {key: 2 * value}
                yield f"larger {key} by one", {key: value + 1}
            if "null" in types:
                yield f"{key}=null", {key: None}
        if key in base and key not in sizes()["never_absent"]:
            yield f"{key} absent", {key: "(absent)"}
        if value is None and key in sizes()["keys"]:
            yield f"{key}={sizes()['keys'][key]}", {key: sizes()["keys"][key]}
        if "list" in types:
            yield from _lists(table, key, base)


def _legacy(table: ClassTable) -> Iterator[Change]:
    """Older keys that the class still understands, without the lists that replaced them."""
    lists_now = {key: "(absent)" for key, (types, _) in table.fields.items() if "list" in types}
    for key in sorted(table.kwargs & sizes()["legacy"].keys()):
        for value in sizes()["legacy"][key]:
            yield f"legacy {key}={value}", {**lists_now, key: value}


def _lists(table: ClassTable, key: str, base: dict[str, Any]) -> Iterator[Change]:
    """A list of layer kinds turned round, and all of each kind."""
    held = base.get(key) or lists(table, base, short=True).get(key)
    if not isinstance(held, list) or not held or not all(isinstance(v, str | int) for v in held):
        return
    yield f"{key} reversed", {key: held[::-1]}
    for kind in dict.fromkeys(held):
        yield f"{key} all {kind}", {key: [kind] * len(held)}
