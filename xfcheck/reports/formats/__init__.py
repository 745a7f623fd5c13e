"""The formats of `lint`: one module each, with `render(run) -> str`; only the ones asked for are imported."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ...problems import Usage

if TYPE_CHECKING:
    from ..linted import Run

FORMATS = {
    "text": "text", "concise": "concise", "json": "json_document", "jsonl": "json_lines", "sarif": "sarif", "github": "github",
    "gitlab": "gitlab", "junit": "junit", "markdown": "markdown",
}  # fmt: skip
"""Format -> the module that renders it."""


def known(name: str) -> str:
    """The name itself. Raises Usage for none of FORMATS, with the nearest."""
    if name in FORMATS:
        return name
    from difflib import get_close_matches

    near = get_close_matches(name, FORMATS, 1)
    raise Usage(f"unknown format {name!r}" + (f"; did you mean {near[0]}?" if near else "") + f" (one of {', '.join(FORMATS)})")


def rendered(run: Run, name: str) -> str:
    """The report of a run in a format."""
    text: str = import_module(f"{__package__}.{FORMATS[name]}").render(run)
    return text
