"""The smallest config with the same ratios, kinds of layers and flags: for tests, and for proofs that run a model.

Heads are divided by one number and head widths by another, the widths of the residual stream by their product; expert counts keep E / k,
to a whole number, the vocabulary its ratio to the width; layers are left away as long as each kind of block stays. The small config is read
by the same family, and must describe the same model but for its sizes: anything else is refused.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from math import gcd, isqrt
from typing import TYPE_CHECKING, Any

from ..ledger import total
from ..problems import Refused
from . import keys
from .layers import objects, opened, shallow
from .signature import read, signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..model import Model

FEWEST_TOKENS = 64
NARROW = 8
"""Widths below it stay."""
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
    data = copy.deepcopy(dict(model.settings.data))
    for key in keys.DROPPED:
        data.pop(key, None)
    if model.family != "native":
        whole = opened(data, model.settings.table)
        data = whole if (made := read(whole, model)) is not None and signature(made) == signature(model) else data
    data = shallow(data, model, even=even)
    sizes = _explicit(data, model)
    wanted = signature(model, even=even)
    best: tuple[int, dict[str, Any], Model] | None = None
    for heads, dims in sorted(_factors(sizes, _shares(sizes, model)), key=lambda f: (-f[0] * f[1], -f[1])):
        for experts in (True, False):
            small = _scaled(sizes, heads, dims, experts=experts)
            made = read(small, model)
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


def _explicit(data: dict[str, Any], model: Model) -> dict[str, Any]:
    """The config with every size written out that its class would fill in."""
    out = copy.deepcopy(data)
    known = keys.HEADS | keys.HEAD_DIMS | keys.WIDTHS | keys.VOCABULARIES | keys.EXPERTS | keys.CHOSEN | keys.CAPPED.keys()
    for _, inner, table in objects(out, model.settings.table if model.family != "native" else None):
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


def _factors(data: dict[str, Any], shares: set[float]) -> Iterator[tuple[int, int]]:
    """(divisor of head counts, divisor of head widths): no head count of 2 or more becomes 1, no head width odd or below 4."""
    counts = [n for n in _numbers(data, keys.HEADS) if n > 1]
    widths = [n for n in _numbers(data, keys.HEAD_DIMS) if n > 1]
    hidden = [n for n in _numbers(data, frozenset(["hidden_size", "d_model", "n_embd", "dim", "emb_dim", "embed_dim"])) if n >= NARROW]
    common = gcd(*counts) if counts else 1
    by = [f for f in _divisors(common) if all(n // f >= 2 for n in counts)] or [1]
    each = gcd(*widths) if widths else gcd(*(h // gcd(h, max(counts, default=1)) for h in hidden)) if hidden else 1
    for heads in by:
        for dims in _divisors(each):
            even = all(n % 2 or not (n // dims) % 2 for n in widths) and all(n // dims >= 4 or n < 4 for n in widths)
            if even and _turns(shares, widths, dims) and all(h % (heads * dims) == 0 and h // (heads * dims) >= 8 for h in hidden):
                yield heads, dims


def _turns(shares: set[float], widths: list[int], dims: int) -> bool:
    """Whether the part of a head that turns stays a multiple of four where it was one: some positions have two axes."""
    return not any(n * share % 4 == 0 and n / dims * share % 4 for n in widths for share in shares)


def _shares(data: dict[str, Any], model: Model) -> set[float]:
    """Shares of a head that turn, of the file and of its classes."""
    given = [inner for _, inner, _ in objects(data, model.settings.table)]
    filled = [default for _, _, table in objects(data, model.settings.table) if table is not None for _, default in table.fields.values()]
    return {share for value in (*given, *filled) for share in _found_under("partial_rotary_factor", value) if 0 < share < 1}


def _found_under(key: str, value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == key and isinstance(inner, int | float):
                yield float(inner)
            yield from _found_under(key, inner)


def _divisors(number: int) -> list[int]:
    """All divisors, in order; of numbers beyond the square of a million those that are, or go with, one of up to a million."""
    small = [f for f in range(1, min(isqrt(number), 10**6) + 1) if number % f == 0]
    return sorted({*small, *(number // f for f in small)})


def _scaled(data: dict[str, Any], heads: int, dims: int, *, experts: bool) -> dict[str, Any]:
    hidden = next(iter(_numbers(data, frozenset(["hidden_size", "d_model", "n_embd", "dim"]))), 1)
    every, chosen = next(iter(_numbers(data, keys.EXPERTS)), 0), next(iter(_numbers(data, keys.CHOSEN)), 1)
    few = min(chosen, 2)
    fits = experts and every > 2 * few and chosen > few
    tokens = max([*_numbers(data, keys.VOCABULARIES)] or [*_numbers(data, frozenset(["rows"]))] or [0])

    def rows(n: int) -> int:
        return min(n, max(FEWEST_TOKENS, n // (heads * dims))) if tokens else n

    def one(key: str, n: int, own: int) -> int:
        table: list[tuple[bool, Callable[[int], int]]] = [
            (key in keys.HEADS, lambda v: v // heads if v > 1 else v),
            (key in keys.HEAD_DIMS, lambda v: max(1, v // dims)),
            (key in keys.WIDTHS, lambda v: max(1, v // (heads * dims)) if v >= NARROW else v),
            (key in keys.CAPPED, lambda v: min(v, keys.CAPPED[key])),
            (key in keys.VOCABULARIES or key == "rows", rows),
            (fits and key in keys.EXPERTS, lambda v: v * few // chosen),
            (fits and key in keys.CHOSEN, lambda v: few if v > 0 else v),
            (key.endswith(keys.IDS) and tokens > 0, lambda v: v if v < rows(own) else v % rows(own)),
        ]
        return next((rule(n) for applies, rule in table if applies), n)

    def walk(key: str, value: Any, own: int) -> Any:
        if isinstance(value, bool):
            return value
        if isinstance(value, int):
            return one(key, value, own)
        if isinstance(value, dict):
            own = max([v for k, v in value.items() if k in keys.VOCABULARIES and isinstance(v, int)] or [own])
            return {k: walk(k, v, own) for k, v in value.items()}
        if isinstance(value, list):
            if key in keys.PAIRS:
                return [v // dims for v in value] if key in ("mrope_section", "sections") else value[: max(1, len(value) // dims)]
            return [walk(key, v, own) for v in value]
        return value

    small: dict[str, Any] = walk("", data, tokens) if hidden else data
    return small


__all__ = ["Shrunk", "shrink", "signature"]
