"""Text made to fit a terminal. Imported for terminals alone: what goes into a pipe or a file keeps its lines whole."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

LEAST = 40
"""Columns below which nothing is made to fit."""
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_CELL = re.compile(r"( {2,}|^ *)(\S+(?: \S+)*)")


def width() -> int | None:
    """Columns of the terminal that standard output goes to, as COLUMNS or the system says; null where it is none, or says nothing."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    said = os.environ.get("COLUMNS", "")
    try:
        found = int(said) if said.isdecimal() else os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return None
    return max(found, LEAST) if found > 0 else None


def fitted(text: str, columns: int | None, *, hanging: int = 2) -> str:
    """The text with no line wider than `columns`, but for single words that are.

    A line that fits stays as it is. In another, what stands apart by two spaces or more is a cell: a cell that no longer fits begins a line
    of its own, one that fits nowhere is wrapped between its words. Later lines begin under the second cell where the first is a short label
    (the values of a budget), else a little to the right of the line's own beginning (`hanging`, where it has but one cell).
    """
    if columns is None:
        return text
    return "\n".join(_line(line, columns, hanging) if seen(line) > columns else line for line in text.split("\n"))


def seen(text: str) -> int:
    """How many columns a text takes, its colors left out."""
    return len(_COLOR.sub("", text) if "\x1b" in text else text)


def _line(line: str, columns: int, hanging: int) -> str:
    cells = [(len(gap), cell) for gap, cell in _CELL.findall(line)]
    if not cells:
        return line
    lead = cells[0][0]
    second = lead + seen(cells[0][1]) + cells[1][0] if len(cells) > 1 else 0
    # a row whose first cell is empty begins where the values of the rows above it do
    label = 0 < second <= columns * 2 // 5 or (len(cells) == 1 and lead > 8)
    hang = (second or lead) if label else lead + (4 if len(cells) > 1 else hanging)
    hang = hang if hang <= columns // 2 else 4
    lines = [" " * min(lead, columns // 2)]
    for number, (gap, cell) in enumerate(cells):
        apart = 0 if number == 0 else gap if label else min(gap, 2)
        at, size = seen(lines[-1]), seen(cell)
        if at + apart + size <= columns:
            lines[-1] += " " * apart + cell
        elif number and hang + size <= columns:
            lines.append(" " * hang + cell)
        else:
            lines[-1] += " " * apart
            _words(cell, lines, hang, columns)
    return "\n".join(line.rstrip() for line in lines)


def _words(cell: str, lines: list[str], hang: int, columns: int) -> None:
    """Append a cell to the last line, wrapped between its words."""
    for number, word in enumerate(cell.split(" ")):
        space = " " if number else ""
        if seen(lines[-1]) + len(space) + seen(word) <= columns or not lines[-1].strip():
            lines[-1] += space + word
        else:
            lines.append(" " * hang + word)


def blocks(columns: Sequence[int], widths: Sequence[int], room: int, held: Container[int]) -> list[list[int]]:
    """The columns of a table in as many blocks, one below the other, as it takes to fit; the first column is in each.

    Columns that are `held` stay with the one before them.
    """
    groups: list[list[int]] = []
    for column in columns[1:]:
        if column in held and groups:
            groups[-1].append(column)
        else:
            groups.append([column])
    out: list[list[int]] = []
    left = 0
    for group in groups:
        size = sum(widths[column] + 2 for column in group)
        if not out or size > left:
            out.append([columns[0]])
            left = room - widths[columns[0]]
        out[-1] += group
        left -= size
    return out or [list(columns)]
