"""All rules: code, severity, name; with --format json also whether they are on by default."""

from __future__ import annotations

from typing import Annotated

import typer

from .answers import fail, write


def command(
    format: Annotated[str, typer.Option(help="text, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """List every rule."""
    from ..problems import Usage
    from ..reports.listings import listing
    from ..rules._registry import index

    rows = [{"code": r.code, "name": r.name, "severity": r.severity, "status": r.status, "on": r.on, "group": r.module.partition(".")[0]} for r in index().values()]
    try:
        write(listing("rules", rows, format, ("code", "severity", "name")), output)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
