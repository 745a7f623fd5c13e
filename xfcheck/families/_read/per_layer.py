"""Layers that differ from the others by `per_layer_config` (transformers 5.24, integrations/heterogeneity)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ...architecture.layers import LayerSet
    from .settings import Settings


class Differing(NamedTuple):
    """Layers of one kind that read the same values in place of the file's."""

    kind: str
    values: dict[str, Any]
    layers: LayerSet


def overrides(c: Settings, layers: int, key: str = "per_layer_config") -> dict[int, dict[str, Any]] | None:
    """Layer index -> the values it reads instead, null where the file has none. Raises Refused for an index that is no layer."""
    given = c.raw(key, noted=False)
    if given is None:
        return None
    if not isinstance(given, dict):
        raise c.refuse(key, f"{key} is no object")
    found: dict[int, dict[str, Any]] = {}
    for index, values in given.items():
        if not str(index).isdecimal() or int(index) >= layers or not isinstance(values, dict):
            raise c.refuse(key, f"{key} needs the layers 0 to {layers - 1} as keys and objects as values, not {index!r}", code="XF114")
        found[int(index)] = {name: value for name, value in values.items() if name != "skip"}
    return found


def differing(c: Settings, kinds: dict[str, LayerSet], values: dict[int, dict[str, Any]]) -> list[Differing]:
    """Each kind of layer with the values its layers read. Raises Refused XF114 where layers of one kind differ, as the classes do."""
    out = []
    for kind, held in kinds.items():
        groups: dict[str, list[int]] = {}
        for index, read in values.items():
            own = {name: value for name, value in read.items() if value != c.raw(name, noted=False)}
            if index in held and own:
                groups.setdefault(json.dumps(own, sort_keys=True, default=str), []).append(index)
        special = {index for indices in groups.values() for index in indices}
        if len(groups) > 1 or (groups and len(special) != len(held)):
            raise c.refuse(
                "per_layer_config",
                f"per_layer_config gives layers of kind {kind} different values",
                code="XF114",
                help="the same for all of a kind",
            )
        out.append(Differing(kind, values[min(special)] if special else {}, held))
    return out
