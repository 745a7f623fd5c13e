"""The settings that count for a path, and where each was set: a file and line, or the default."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .answers import fail, write


def command(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A config file or a folder.")] = ".",
    config: Annotated[str | None, typer.Option(help="This xfcheck.toml or pyproject.toml.")] = None,
    format: Annotated[str, typer.Option(help="text, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Show every setting with its value and origin."""
    import os

    from ..problems import Usage
    from ..reports.listings import listing
    from ..settings.discovery import Finder
    from ..settings.origins import rows

    try:
        if not os.path.lexists(path):
            raise Usage(f"{path}: no such file or folder")
        settings = Finder(config).beside(path)
        table: list[dict[str, Any]] = rows(settings)
        shown = [{**row, "value": _text(row["value"])} for row in table] if format == "text" else table
        write(listing("settings", shown, format, ("key", "value", "origin")), output, wrap=format == "text")
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None


def _text(value: Any) -> str:
    import json

    from ..reports.plain import plain

    return "-" if value is None else plain(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
