"""What a rule checks, why it matters, a bad example and what to write instead."""

from __future__ import annotations

from typing import Annotated

import typer

from .answers import columns, fail, write


def command(
    codes: Annotated[
        list[str] | None, typer.Argument(metavar="CODE...", help="Rule codes or names: XF104, kv-heads-not-dividing.", show_default=False)
    ] = None,
    format: Annotated[str, typer.Option(help="text, markdown or json.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Print the page of each rule."""
    from ..problems import Usage
    from ..reports.pages import FORMATS, pages
    from ..rules._plumbing import RULES
    from ..rules._registry import find, index

    try:
        if format not in FORMATS:
            raise Usage(f"unknown format {format!r}; one of {', '.join(FORMATS)}")
        if not codes:
            known = {**index(), **RULES}
            raise Usage(
                "\n".join(["explain needs the code or name of a rule, one of:", *(f"  {c}  {known[c].name}" for c in sorted(known))])
            )
        write(pages([find(code) for code in codes], format, columns(output)), output)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
