"""Rows of models inside a model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .._index import family

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.model import Architecture, Member
    from ...ledger import Row


def member_rows(a: Architecture) -> Iterator[Row]:
    """What the families of the members say, under the whole's names and streams."""
    for member in a.members:
        yield from rows_of_member(member)


def rows_of_member(member: Member) -> Iterator[Row]:
    """One member's rows. Raises LookupError for a type that no family reads: the reading has refused it before."""
    module = family(member.model_type)
    if module is None:
        raise LookupError(f"no family reads {member.model_type!r}")
    before = member.prefix if member.module_prefix is None else member.module_prefix
    for row in module.ledger(member.architecture):
        name = member.prefix + row.name
        inner = before + (row.module or row.name)
        yield replace(
            row, name=name, module=None if inner == name else inner, stream=member.streams.get(row.stream, row.stream),
            tied_to=None if row.tied_to is None else member.prefix + row.tied_to,
        )  # fmt: skip
