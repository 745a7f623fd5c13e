"""What a training recipe says to a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


def said(context: Context, code: str) -> Iterator[Hit]:
    """The notes of the recipe's tool under a rule's code."""
    for note in () if context.recipe is None else context.recipe.notes:
        if note.code == code:
            related = tuple(Related(message, pointer) for message, pointer in note.related)
            yield Hit(note.message, note.pointer, help=note.help, severity=note.severity, related=related)
