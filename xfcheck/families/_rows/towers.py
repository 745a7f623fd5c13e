"""Rows of a language model with towers: its members' by their own families, the projector's by the whole's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ledger import merge
from .members import member_rows
from .model import projection_rows, stack_rows
from .names import Names
from .place import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...architecture.model import Architecture
    from ...ledger import Row


def tower_rows(
    a: Architecture, parts: Mapping[str, str], front: str = "", module: Mapping[str, str] | None = None, inside: str = "model."
) -> list[Row]:
    """All rows of the whole.

    `parts` names the whole's own projections and stacks, `module` those whose modules are called otherwise. A name whose key has no slot
    (`linear_1`, `layer`) is whole: `front` comes before it in checkpoints, `inside` in modules. The others follow the prefix of a layer.
    """
    modules = {**parts, **(module or {})}
    names = Names(
        {key: name if "." in key else front + name for key, name in parts.items()},
        {key: name if "." in key else inside + name for key, name in modules.items()},
    )
    held = [stack for member in a.members for stack in member.architecture.stacks]
    at = Place(names, "image", "image", None, a.main.hidden_size)
    own = [row for stack in a.stacks if stack not in held for row in stack_rows(stack, names)]
    return [*member_rows(a), *merge([*own, *(row for projection in a.projections for row in projection_rows(projection, at))])]
