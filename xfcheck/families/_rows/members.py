"""Rows of models inside a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._index import family
from .._towers import tower

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...architecture.model import Architecture, Member
    from ...ledger import Row


def member_rows(a: Architecture) -> Iterator[Row]:
    """What the families of the members say, under the whole's names and streams."""
    for member in a.members:
        yield from rows_of_member(member)


def rows_of_member(member: Member) -> Iterator[Row]:
    """One member's rows. Raises LookupError for a type that no family reads: the reading has refused it before."""
    module = family(member.model_type) or tower(member.model_type)
    if module is None:
        raise LookupError(f"no family reads {member.model_type!r}")
    inside = member.checkpoint if member.module is None else member.module
    for row in module.ledger(member.architecture):
        name = renamed(row.name, member.checkpoint)
        inner = renamed(row.module or row.name, inside)
        split = tuple(renamed(part, inside) for part in row.split)
        yield row._replace(name=name, module=None if split or inner == name else inner, split=split,
            stream=member.streams.get(row.stream, row.stream),
            tied_to=None if row.tied_to is None else renamed(row.tied_to, member.checkpoint),
        )  # fmt: skip


def renamed(name: str, beginnings: Mapping[str, str]) -> str:
    """The name with the first beginning that fits replaced."""
    for own, whole in beginnings.items():
        if name.startswith(own):
            return whole + name[len(own) :]
    return name
