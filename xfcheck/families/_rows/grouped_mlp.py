"""Rows of a grouped feed-forward network."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.mixers.grouped import GroupedMLP
    from ...ledger import Row
    from .place import Place


def rows(spec: GroupedMLP, at: Place) -> Iterator[Row]:
    """Up and down, each in its groups, with their biases."""
    for part, out, read, groups in (
        ("up", spec.intermediate_size, at.hidden, spec.groups),
        ("down", at.hidden, spec.intermediate_size, spec.output_groups),
    ):
        shape = (out, read // groups, 1) if spec.storage == "convolution" else (groups, read // groups, out // groups)
        yield at.row(part, shape, multiplies=True)
        yield at.row(part, (out,), ending=".bias", suffix="_bias")
