"""The smallest config with the same ratios, kinds of layers and flags, for tests and proofs."""

from __future__ import annotations

from typing import Annotated

import typer

from .answers import fail, opened, write


def command(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A config file, a model folder, or - for stdin.")],
    parameters: Annotated[str | None, typer.Option(help="No more parameters than this (2M, 500k, 1.5B); default: the smallest.")] = None,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="DIR", help="Write config.json into this folder.")] = None,
) -> None:
    """Write the small config, or print it."""
    import json
    import sys
    from pathlib import Path

    from ..model import load
    from ..problems import Refused, Usage
    from ..shrink import shrink

    try:
        target = None if parameters is None else number(parameters)
        _, folder = next(iter(opened([path], alone=True)))
        if isinstance(folder, Usage):
            raise folder
        small = shrink(load(folder), target)
        body = json.dumps(small.data, indent=2, ensure_ascii=False) + "\n"
        if output is None:
            write(body, None)
        else:
            try:
                Path(output).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise Usage(f"{output} cannot be made: {error.strerror}") from error
            write(body, str(Path(output) / "config.json"))
        for note in [f"{small.parameters:,} parameters", *small.notes]:
            print(f"xfcheck: {note}", file=sys.stderr)
    except Refused as problem:
        raise typer.Exit(fail(Usage(f"{path}: {problem.message}"))) from None
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None


MOST = 10**15
"""Larger models are typing errors."""


def number(text: str) -> int:
    """A count such as 2M, 500k, 1.5B or 20000. Raises Usage for anything else, and for none at all."""
    from ..accounting.units import whole
    from ..problems import Usage

    try:
        found = whole(text)
    except ValueError:
        found = 0
    if not 1 <= found < MOST:
        raise Usage(f"--parameters is a number such as 2M, not {text!r}")
    return found
