"""Tying is identity: the head's matrix is the table itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..verification.check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .instance import Instance


def judge(x: Instance) -> Iterator[Check]:
    """Whether both are one tensor in memory, and whether one change moves both."""
    head = x.small.head
    built = x.model.head
    if (
        head.kind not in ("causal", "masked", "seq2seq", "pretraining")
        or built is None
        or x.model.tables is None
        or x.model.tables.table is None
    ):
        return
    table, matrix = x.model.tables.table, built.matrix()
    same = table.data_ptr() == matrix.data_ptr() and table.shape == matrix.shape
    yield Check("law.tying", head.tied, same, "agreed" if same == head.tied else "differs", "whether table and head are one tensor")
