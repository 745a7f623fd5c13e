"""Sizes that a parallel layout or a quantisation splits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._names import DIMENSIONS, read

if TYPE_CHECKING:
    from .._context import Context


class Size(NamedTuple):
    """A size of the model: what it is, how many, and where the file says it."""

    label: str
    value: int
    at: str


def query_heads(context: Context) -> list[Size]:
    """The distinct numbers of query heads, latent attention included."""
    return _placed(context, "heads", {("query heads", m.query_heads) for m in context.mixers if hasattr(m, "query_heads")})


def feed_forward(context: Context) -> list[Size]:
    """The distinct widths of dense feed-forward networks, of experts and of shared experts."""
    from ...architecture.mixers.mlp import MLP
    from ...architecture.mixers.moe import MoE

    wide, narrow = set(), set()
    for mixer in context.mixers:
        if isinstance(mixer, MLP):
            wide.add(("feed-forward width", mixer.intermediate_size))
        elif isinstance(mixer, MoE):
            narrow.add(("width of an expert", mixer.expert.intermediate_size))
    return _placed(context, "feed_forward", wide) + _placed(context, "expert_width", narrow, ("feed_forward",))


def widths(context: Context) -> list[Size]:
    """The width of each language model."""
    rows = [(scope, read_row) for scope in context.scopes for read_row in read(scope, "width")]
    return [Size(DIMENSIONS["width"].label, value, scope.at(name)) for scope, (name, value) in rows if value > 0]


def _placed(context: Context, dimension: str, values: set[tuple[str, int]], more: tuple[str, ...] = ()) -> list[Size]:
    """The values with the keys that say them; of the keys alone where there is no model."""
    out = []
    for scope in context.scopes:
        named = [row for d in (dimension, *more) for row in read(scope, d)]
        if context.of_model(scope):
            fallback = scope.at(named[0][0]) if named else scope.pointer
            out += [
                Size(label, value, next((scope.at(n) for n, v in named if v == value), fallback))
                for label, value in sorted(values)
                if value > 0
            ]
        else:
            out += [Size(DIMENSIONS[dimension].label, value, scope.at(name)) for name, value in read(scope, dimension) if value > 0]
    return out


def divisors(number: int) -> list[int]:
    """All divisors in order; none of a number too large to be a size."""
    return [n for n in range(1, number + 1) if number % n == 0] if 0 < number <= 65536 else []
