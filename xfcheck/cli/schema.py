"""The JSON Schema of a model description or of xfcheck.yaml, for editors and other tools."""

from __future__ import annotations

from typing import Annotated

import typer

from .answers import fail, write


def command(
    name: Annotated[
        str | None, typer.Argument(help="model, xfcheck.yaml, xfcheck.toml, lint, bench or budget.", show_default=False)
    ] = None,
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Print a schema."""
    import json

    from ..problems import Usage
    from ..schemas import SCHEMAS, schema

    try:
        if name is None:
            raise Usage(f"schema needs a name, one of {', '.join(SCHEMAS)}")
        write(json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n", output)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
