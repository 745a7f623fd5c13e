"""The ledger against the build, as multisets of (stream, layers, role, shape, uses)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ..architecture.layers import LayerSet
from .check import Check, compared, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..architecture.model import Architecture
    from ..ledger import Row
    from ..torch_build.marks import Mark

SHOWN = 4


class Kind(NamedTuple):
    """What two tensors must share to count as alike. `place`: a kind of block by its number, or `-` outside of layers."""

    stream: str
    place: str
    role: str
    shape: tuple[int, ...]
    uses: int
    kind: str
    tied: bool
    multiplies: bool

    def __str__(self) -> str:
        more = "".join(
            [" tied" if self.tied else "", "" if self.kind == "parameter" else f" {self.kind}", f" x{self.uses}" if self.uses > 1 else ""]
        )
        return f"{self.stream} {self.place} {self.role} {list(self.shape)}{more}"


def of_ledger(rows: Iterable[Row], a: Architecture) -> Counter[Kind]:
    """The rows that the reference builds, counted a kind of block. Tensors that a checkpoint alone holds are none of them."""
    out: Counter[Kind] = Counter()
    for row in rows:
        if row.kind == "not_loaded":
            continue
        shape = row.shape[::-1] if row.transposed else row.shape
        for place, count in _places(row.layers, a):
            key = Kind(row.stream, place, str(row.role), tuple(shape), row.uses, row.kind, row.tied_to is not None, row.role.multiplies)
            out[key] += count * (row.experts or 1)
    return _by_the_table(out)


def _by_the_table(found: Counter[Kind]) -> Counter[Kind]:
    """Of a table and a head that are one tensor, the table holds it, whichever of both a checkpoint saves."""
    for kind in [k for k in found if k.role == "token_embedding.embedding" and k.tied]:
        head = next((k for k in found if k.role == "head.head" and not k.tied and k.shape == kind.shape), None)
        if head is not None:
            found[kind._replace(tied=False)] += found.pop(kind)
            found[head._replace(tied=True)] += found.pop(head)
    return found


def of_build(marks: Iterable[Mark], a: Architecture) -> Counter[Kind]:
    """The build's tensors in the same words."""
    out: Counter[Kind] = Counter()
    for mark in marks:
        for place, count in _places(mark.layers, a):
            out[Kind(mark.stream, place, mark.role, mark.shape, mark.uses, mark.kind, mark.tied, mark.multiplies)] += count * mark.count
    return out


def _places(layers: LayerSet | None, a: Architecture) -> list[tuple[str, int]]:
    """(kind of block, how many of its layers are meant), for the blocks of all stacks alike.

    Layer sets are never walked where a block covers them.
    """
    if layers is None:
        return [("-", 1)]
    found: list[tuple[str, int]] = []
    for s, stack in enumerate(a.stacks):
        for b, block in enumerate(stack.blocks):
            both = len(block.layers) if block.layers == layers else len(layers.intersection(block.layers))
            if both:
                found.append((f"{s}.{b}", both))
    if not found or sum(count for _, count in found) >= len(layers) or min(layers) == 0:
        return found
    return _places(LayerSet.of(index - 1 for index in layers), a)  # numbers of a checkpoint that begin at 1


def compare(rows: Sequence[Row], marks: Sequence[Mark], a: Architecture) -> Check:
    """One row: how many tensors agree, and the first that one side has and the other lacks."""
    ledger, built = of_ledger(rows, a), of_build(marks, a)
    lacking, surplus = ledger - built, built - ledger
    said = [
        f"only in the {side}: {n} of {kind}"
        for side, more in (("ledger", lacking), ("build", surplus))
        for kind, n in sorted(more.items())[:SHOWN]
    ]
    if (lacking or surplus) and all(kind.kind == "buffer" for kind in (*lacking, *surplus)) and not (lacking and surplus):
        why = "the description does not have" if lacking else "checkpoints do not hold"
        return unknown("ledger", f"buffers that {why}: {said[0]}", sum(ledger.values()))
    if lacking or surplus:
        return Check("ledger", sum(ledger.values()), sum(built.values()), "differs", "; ".join(said))
    return compared(
        "ledger", sum(ledger.values()), sum(built.values()), f"tensors alike in stream, layers, role, shape and uses ({len(ledger)} kinds)"
    )
