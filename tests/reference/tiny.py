"""Small configs: the class defaults of a type with every size replaced, all sizes different from one another, every kind of layer kept."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

from transformers import CONFIG_MAPPING

from xfcheck.families._classes import ClassTable, class_table

PREFERRED = ("causal", "seq2seq", "masked", "conditional_generation", "pretraining", "base")
"""Head kinds of the class tables; the first that a type has is its language model."""


@cache
def sizes() -> dict[str, Any]:
    """`sizes.json`.

    `keys` are sizes by key, `even_null` those that are set although the class default is null, `types` what a type needs beside them,
    `classes` the class to begin with where the first of `PREFERRED` is wrong. For `variants`: `inert` keys are left alone, `others` are
    further values of a key, `undeclared` and `combined` changes of several keys (where a class declares none, or all, of them), `variants`
    a type's own. `legacy`: values of
    keys that only an initialiser looks up. `runs`: types that take a certain length or batch alone.
    """
    found: dict[str, Any] = json.loads(Path(__file__).with_name("sizes.json").read_text())
    return found


def heads(model_type: str) -> dict[str, str]:
    """Model class -> head kind, the language model first."""
    table = class_table(model_type)
    assert table is not None, model_type
    first = sizes()["classes"].get(model_type)
    rank = {kind: place for place, kind in enumerate(PREFERRED)}
    ordered = sorted(table.architectures.items(), key=lambda item: (item[0] != first, rank.get(item[1], len(rank)), len(item[0]), item[0]))
    return dict(ordered)


def tiny(model_type: str, architecture: str | None = None) -> dict[str, Any]:
    """A config.json of that type, with only the keys that a size, a list of layers or the type itself asks for."""
    table = class_table(model_type)
    assert table is not None, model_type
    data = {"model_type": model_type, "architectures": [architecture or next(iter(heads(model_type)))], **shrunk(table)}
    return merged(data, sizes()["types"].get(model_type, {}))


def shrunk(table: ClassTable) -> dict[str, Any]:
    """The keys of a class with their small values, sub-configs too."""
    small = sizes()["keys"]
    out: dict[str, Any] = {}
    for key, (types, default) in table.fields.items():
        if key in table.sub_configs:
            continue
        if key in small and "int" in types and not isinstance(default, bool) and (default is not None or key in sizes()["even_null"]):
            out[key] = small[key]
    if "kv_lora_rank" in out and "num_key_value_heads" in out:  # latent attention expands keys for every head
        out["num_key_value_heads"] = out["num_attention_heads"]
    for key, part in table.sub_configs.items():
        inner = class_table(part)
        if inner is not None and key not in table.sub_optional:
            own = merged(shrunk(inner), sizes()["types"].get(inner.model_type, {}))
            out[key] = {"model_type": inner.model_type, **own} if part == inner.model_type else own
    return {**out, **lists(table, out)}


def lists(table: ClassTable, small: dict[str, Any], *, short: bool = False) -> dict[str, Any]:
    """Every list with an entry a layer, cut so that each value of the default config's list is still there.

    Lists that the small config fills by itself with the same values are left to it, unless `short` asks for them.
    """
    depth_key = next((k for k in ("num_hidden_layers", "n_layer", "num_layers", "n_layers") if k in small), None)
    if table.model_type not in CONFIG_MAPPING or depth_key is None or not any("list" in types for types, _ in table.fields.values()):
        return {}
    whole, own = _made(table.model_type, {}), _made(table.model_type, small)
    out = {}
    for key, (types, _) in table.fields.items():
        held = whole.get(key)
        if "list" not in types or not isinstance(held, list | tuple) or len(held) != whole.get(depth_key) or not held:
            continue
        mine, layers = own.get(key), small[depth_key]
        if isinstance(mine, list) and len(mine) == layers and _values(mine) == _values(held):
            out.update({key: mine} if short else {})
        else:
            out[key] = spread(list(held), layers)
    return out


def _made(model_type: str, data: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a config object, by declared name or alias; nothing where the class does not make one of this data."""
    try:
        config = CONFIG_MAPPING[model_type](**{k: v for k, v in data.items() if k not in ("model_type", "architectures")})
    except Exception:
        return {}
    named = dict(vars(config))
    return {**named, **{alias: named[own] for alias, own in config.attribute_map.items() if own in named}}


def _values(held: list[Any] | tuple[Any, ...]) -> list[Any]:
    """The different values of a list, in order of appearance (they need not be hashable)."""
    return [v for i, v in enumerate(held) if v not in held[:i]]


def spread(values: list[Any], count: int) -> list[Any]:
    """`count` entries that hold every different value of the list: its beginning, the end replaced by what is missing there."""
    out = list(values[:count])
    missing = [v for v in _values(values) if v not in out]
    return out[: max(1, count - len(missing))] + missing[: count - 1] if missing else out


def merged(data: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """The data with the changes made, nested objects key by key; the value "(absent)" takes a key away."""
    out = copy.deepcopy(data)
    for key, value in change.items():
        if value == "(absent)":
            out.pop(key, None)
        elif isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = merged(out[key], value)
        else:
            out[key] = copy.deepcopy(value)
    return out
