"""One JSON object a line and path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..envelope import line
from ..plain import harmless_json
from .json_document import element

if TYPE_CHECKING:
    from ..linted import Run


def render(run: Run) -> str:
    """The lines; no summary."""
    return "".join(harmless_json(line(element(file))) + "\n" for file in run.files)
