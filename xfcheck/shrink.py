"""The smallest config with the same ratios, kinds of layers and flags: for tests, and for proofs that run a model.

Heads are divided by one number and head widths by another, the widths of the residual stream by their product; expert counts keep E / k,
the vocabulary its ratio to the width; layers are left away as long as each kind of block stays. The small config is read by the same
family, and must describe the same model but for its sizes: anything else is refused.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, Any

from . import shrink_keys as keys
from .ledger import total
from .model import Model, understand
from .problems import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .families._classes import ClassTable

FEWEST_TOKENS = 64
LARGE = 2_000_000
"""Parameters above which the smallest config is looked for further."""


@dataclass(frozen=True)
class Shrunk:
    """A small config: its `data`, the `model` read from it, what stayed larger than asked for (`notes`)."""

    data: dict[str, Any]
    model: Model
    notes: list[str]

    @property
    def parameters(self) -> int:
        """Unique parameters."""
        return total(self.model.rows)


def shrink(model: Model, target: int | None = None) -> Shrunk:
    """The largest config below `target` parameters; without one, or where none is below it, the smallest.

    Raises Refused where none means the same.

    The hidden size stays a multiple of the query heads where it was one, as some classes ask for it, unless that keeps the config large.
    """
    try:
        strict = _found(model, target, even=True)
        if strict.parameters <= (target or LARGE):
            return strict
    except Refused:
        strict = None
    loose = _found(model, target, even=False)
    return loose if strict is None or loose.parameters < strict.parameters else strict


def _found(model: Model, target: int | None, *, even: bool) -> Shrunk:
    data = copy.deepcopy(model.settings.data if model.family == "native" else _whole(model))
    for key in keys.DROPPED:
        data.pop(key, None)
    data = _shallow(data, model, even=even)
    sizes = _explicit(data, model)
    wanted = signature(model, even=even)
    best: tuple[int, dict[str, Any], Model] | None = None
    for heads, dims in sorted(_factors(sizes), key=lambda f: (-f[0] * f[1], -f[1])):
        for experts in (True, False):
            small = _scaled(sizes, heads, dims, experts=experts)
            made = _read(small, model)
            if made is None or signature(made, even=even) != wanted:
                continue
            count = total(made.rows)
            if best is None or (count < best[0] if target is None or best[0] > target else best[0] < count <= target):
                best = (count, small, made)
        if best is not None and (target is None or best[0] > target):
            break
    if best is None:
        raise Refused(
            "no smaller config describes the same model",
            code="usage",
            help="sizes that share no divisor cannot shrink and keep their ratios",
        )
    notes = [] if target is None or best[0] <= target else [f"the smallest config of these ratios has {best[0]:,} parameters"]
    return Shrunk(best[1], best[2], notes)


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
        if isinstance(value.get("kv_heads"), int) and isinstance(value.get("query_heads"), int):
            grouped = value["kv_heads"] < value["query_heads"]
            out["groups"] = "mqa" if value["kv_heads"] == 1 and grouped else "gqa" if grouped else "mha"
        if isinstance(value.get("width"), int) and value.get("kind") == "rotary":
            out["odd"] = value["width"] % 2
        return out
    if isinstance(value, list):
        items = [_shape(v) for v in value]
        return [item for i, item in enumerate(items) if item not in items[:i]]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    return "number" if key in ("scale", "multiplier", "eps") or value else 0


def _whole(model: Model) -> dict[str, Any]:
    """The file's object, or the part of it that is read."""
    return model.settings.data


def _read(data: dict[str, Any], model: Model) -> Model | None:
    try:
        return understand(data, model.folder)
    except (Refused, ValueError, LookupError, ArithmeticError, TypeError):
        return None


def _shallow(data: dict[str, Any], model: Model, *, even: bool) -> dict[str, Any]:
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
                    if (made := _read(c, model)) is not None and signature(made, even=even) == wanted
                ),
                None,
            )
            if cut is not None:
                data = cut
                break
    return data


def _one_each(data: dict[str, Any]) -> dict[str, Any]:
    """A description with one layer of each kind of block (two of a shared one), in order."""
    from .architecture.layers import LayerSet

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
    for path, inner, table in _objects(data, model.settings.table):
        seen: set[int] = set()
        for key in sorted(keys.DEPTHS, key=lambda k: (k not in inner, k)):
            value = inner.get(key, table.fields[key][1] if table is not None and key in table.fields else None)
            alias = table.aliases.get(key, key) if table is not None else key
            if isinstance(value, int) and not isinstance(value, bool) and value > 1 and hash(alias) not in seen:
                seen.add(hash(alias))
                yield (*path, key), value


def _objects(
    data: dict[str, Any], table: ClassTable | None, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], dict[str, Any], ClassTable | None]]:
    """The config and the configs inside it, each with its class table."""
    from .families._classes import class_table

    yield path, data, table
    for key, part in ({} if table is None else table.sub_configs).items():
        inner = data.get(key)
        if isinstance(inner, dict):
            named = inner.get("model_type")
            yield from _objects(inner, class_table(named) if isinstance(named, str) else class_table(part), (*path, key))


def _cuts(data: dict[str, Any], path: tuple[str, ...], depth: int, fewer: int) -> Iterator[dict[str, Any]]:
    """The config with `fewer` layers: lists a layer long keep their beginning, or one entry of each value."""
    for pick in (lambda items: items[:fewer], lambda items: _varied(items, fewer)):
        out = copy.deepcopy(data)
        inner = out
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = fewer
        for key, value in inner.items():
            if isinstance(value, list) and len(value) == depth:
                inner[key] = pick(value)
            elif isinstance(value, str) and len(value) == depth and key not in ("model_type", "dtype", "torch_dtype"):
                inner[key] = "".join(pick(list(value)))
        yield out


def _varied(items: list[Any], count: int) -> list[Any]:
    first = [i for i, item in enumerate(items) if item not in items[:i]][:count]
    rest = [i for i in range(len(items)) if i not in first]
    return [items[i] for i in sorted(first + rest[: count - len(first)])]


def _explicit(data: dict[str, Any], model: Model) -> dict[str, Any]:
    """The config with every size written out that its class would fill in."""
    out = copy.deepcopy(data)
    known = keys.HEADS | keys.HEAD_DIMS | keys.WIDTHS | keys.VOCABULARIES | keys.EXPERTS | keys.CHOSEN | keys.CAPPED.keys()
    for _, inner, table in _objects(out, model.settings.table if model.family != "native" else None):
        if table is None:
            continue
        held = {table.aliases.get(key, key) for key in inner}
        for key, (types, default) in table.fields.items():
            number = isinstance(default, int) and not isinstance(default, bool)
            if key not in held and number and ((key in known and "int" in types) or key.endswith(keys.IDS)):
                inner[key] = default
    return out


def _numbers(data: Any, which: frozenset[str]) -> Iterator[int]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key in which and isinstance(value, int) and not isinstance(value, bool):
                yield value
            elif isinstance(value, dict | list):
                yield from (
                    (n for n in _numbers(value, which))
                    if key not in which
                    else (v for v in (value if isinstance(value, list) else []) if isinstance(v, int))
                )
    elif isinstance(data, list):
        for value in data:
            yield from _numbers(value, which)


def _factors(data: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """(divisor of head counts, divisor of head widths): no head count of 2 or more becomes 1, no head width odd or below 4."""
    counts = [n for n in _numbers(data, keys.HEADS) if n > 1]
    widths = [n for n in _numbers(data, keys.HEAD_DIMS) if n > 1]
    hidden = list(_numbers(data, frozenset(["hidden_size", "d_model", "n_embd", "dim", "emb_dim", "embed_dim"])))
    common = gcd(*counts) if counts else 1
    by = [f for f in range(1, common + 1) if common % f == 0 and all(n // f >= 2 for n in counts)] or [1]
    each = gcd(*widths) if widths else gcd(*(h // gcd(h, max(counts, default=1)) for h in hidden)) if hidden else 1
    for heads in by:
        for dims in (f for f in range(1, each + 1) if each % f == 0):
            even = all(n % 2 or not (n // dims) % 2 for n in widths) and all(n // dims >= 4 or n < 4 for n in widths)
            if even and all(h % (heads * dims) == 0 and h // (heads * dims) >= 8 for h in hidden):
                yield heads, dims


def _scaled(data: dict[str, Any], heads: int, dims: int, *, experts: bool) -> dict[str, Any]:
    hidden = next(iter(_numbers(data, frozenset(["hidden_size", "d_model", "n_embd", "dim"]))), 1)
    every, chosen = next(iter(_numbers(data, keys.EXPERTS)), 0), next(iter(_numbers(data, keys.CHOSEN)), 1)
    few = min(chosen, 2)
    fits = experts and every > 2 * few and (every * few) % max(chosen, 1) == 0
    tokens = max([*_numbers(data, keys.VOCABULARIES)] or [*_numbers(data, frozenset(["rows"]))] or [0])

    def rows(n: int) -> int:
        return min(n, max(FEWEST_TOKENS, n // (heads * dims))) if tokens else n

    def one(key: str, n: int) -> int:
        table: list[tuple[bool, Callable[[int], int]]] = [
            (key in keys.HEADS, lambda v: v // heads if v > 1 else v),
            (key in keys.HEAD_DIMS, lambda v: max(1, v // dims)),
            (key in keys.WIDTHS, lambda v: max(1, v // (heads * dims)) if v > 0 else v),
            (key in keys.CAPPED, lambda v: min(v, keys.CAPPED[key])),
            (key in keys.VOCABULARIES or key == "rows", rows),
            (fits and key in keys.EXPERTS, lambda v: v * few // chosen),
            (fits and key in keys.CHOSEN, lambda v: few if v > 0 else v),
            (key.endswith(keys.IDS), lambda v: v if v < rows(tokens) else v % rows(tokens)),
        ]
        return next((rule(n) for applies, rule in table if applies), n)

    def walk(key: str, value: Any) -> Any:
        if isinstance(value, bool):
            return value
        if isinstance(value, int):
            return one(key, value)
        if isinstance(value, dict):
            return {k: walk(k, v) for k, v in value.items()}
        if isinstance(value, list):
            if key in keys.PAIRS:
                return [v // dims for v in value] if key in ("mrope_section", "sections") else value[: max(1, len(value) // dims)]
            return [walk(key, v) for v in value]
        return value

    return {k: walk(k, v) for k, v in data.items()} if hidden else data


__all__ = ["Shrunk", "shrink", "signature"]
