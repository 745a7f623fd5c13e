"""Rows of weights that several layers apply and one layer stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.layers import LayerSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...architecture.blocks import Projection
    from ...ledger import Row
    from .place import Place


def first_layer(at: Place) -> int:
    """The layer that holds the weights. Raises ValueError where the place has none."""
    return min(r.start for r in (at.layers or LayerSet(())).ranges)


def storing(at: Place) -> Place:
    """The same place in the storing layer alone."""
    return at._replace(layers=LayerSet.of([first_layer(at)]))


def tied(rows: Iterable[Row], at: Place) -> Iterator[Row]:
    """The rows of the storing layer, and those of the other layers, which are the same tensors; each layer multiplies by them anew.

    Rows numbered by their use (`numbered`) are stored once and not repeated.
    """
    first, own = first_layer(at), storing(at).layers
    others = LayerSet.of(i for i in at.layers or () if i != first)
    for row in rows:
        yield row
        if len(others) and row.layers == own and "{layer}" in row.name:
            yield row._replace(layers=others, tied_to=row.name.replace("{layer}", str(first)))


def numbered(row: Row, projection: Projection, at: Place) -> Row:
    """A row for all tensors of a list inside the storing layer: `{number}` of its name runs over the projection's numbers.

    In the row, the placeholder of layers stands for the number, as a row has no other.
    """
    name = row.name if at.layers is None else row.name.replace("{layer}", str(first_layer(at)))
    module = row.module and row.module.replace("{number}", "{layer}")
    return row._replace(name=name.replace("{number}", "{layer}"), module=module, layers=projection.numbers, active=projection.active)
