"""Counts on the command line: whole numbers from 1, plain or with the units that budget assertions take."""

from __future__ import annotations

import typer

UNITS = "k is 1,000, Ki 1,024: 128Ki = 131,072"
"""For the help of an option that takes a count."""


def count(value: object) -> int:
    """A number of tokens or sequences from 1: `4096`, `128k` (128,000), `128Ki` (131,072). Raises BadParameter for anything else."""
    if isinstance(value, str):
        from ..accounting.units import whole

        try:
            value = whole(value)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    if not isinstance(value, int) or value < 1:
        raise typer.BadParameter(f"{value} is not a count from 1")
    return value
