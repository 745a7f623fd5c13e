"""What a rule checks, why it matters, a bad example and what to write instead."""

from __future__ import annotations

from typing import Annotated

import typer

from .answers import fail, write


def command(
    codes: Annotated[list[str], typer.Argument(metavar="CODE...", help="Rule codes or names: XF104, kv-heads-not-dividing.")],
    format: Annotated[str, typer.Option(help="text, markdown or json.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Print the page of each rule."""
    from ..problems import Usage
    from ..reports.pages import FORMATS, pages
    from ..rules._registry import find

    try:
        if format not in FORMATS:
            raise Usage(f"unknown format {format!r}; one of {', '.join(FORMATS)}")
        write(pages([find(code) for code in codes], format), output)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
