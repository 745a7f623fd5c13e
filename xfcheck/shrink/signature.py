"""What a small config must have in common with the one it stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model import Model, understand
from ..problems import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping


def signature(model: Model, *, even: bool = True) -> Any:
    """What must stay: every kind of block, mixer, norm and flag.

    Of the sizes, whether they are there, and how query and key-value heads relate.

    `even`: also whether heads divide the hidden size.
    """
    a = model.architecture
    heads = [
        (s.stream, s.hidden_size, getattr(m, "query_heads", 1))
        for s in a.stacks
        for b in s.blocks
        for sub in b.sublayers
        for m in sub.mixers
    ]
    return _shape(a.model_dump(exclude={"quantization", "dtype"})), {
        (stream, even and width % count == 0) for stream, width, count in heads
    }


def _shape(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        out = {k: _shape(v, k) for k, v in value.items() if k not in ("layers", "name", "maximum_positions", "uses", "caches")}
        if any(sub.get("shared") for sub in value.get("sublayers", ())):
            out["several"] = len(value["layers"]) > 1  # what is shared must be so among layers
        if isinstance(value.get("kv_heads"), int) and isinstance(value.get("query_heads"), int):
            grouped = value["kv_heads"] < value["query_heads"]
            out["groups"] = "mqa" if value["kv_heads"] == 1 and grouped else "gqa" if grouped else "mha"
        if isinstance(value.get("heads"), int) and isinstance(value.get("groups"), int):  # Mamba-2 shares inputs among the heads of a group
            out["groups"] = "one" if value["groups"] == 1 else "several" if value["groups"] <= value["heads"] else "too many"
        if isinstance(value.get("width"), int) and value.get("kind") == "rotary":
            out["odd"], out["turns"] = value["width"] % 2, value["width"] > 1  # one channel alone cannot turn
        return out
    if isinstance(value, list):
        items = [_shape(v) for v in value]
        return [item for i, item in enumerate(items) if item not in items[:i]]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    return "number" if key in ("scale", "multiplier", "eps") or value else 0


def read(data: Mapping[str, Any], model: Model) -> Model | None:
    """The model of the data, null where none can be built from it."""
    try:
        return understand(dict(data), model.folder)
    except (Refused, ValueError, LookupError, ArithmeticError, TypeError):
        return None
