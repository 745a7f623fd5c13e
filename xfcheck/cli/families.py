"""All model types that are read, each with what its numbers were compared with."""

from __future__ import annotations

from typing import Annotated

import typer

from .answers import fail, write


def command(
    format: Annotated[str, typer.Option(help="text, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """List every model type with its fidelity: exact where all of parameters, active, flops and cache agree with the reference."""
    from ..families._index import index
    from ..model import PARTS, verified
    from ..problems import Usage
    from ..reports.listings import listing

    table = verified()
    rows = []
    for model_type, name in index().items():
        parts = table["types"].get(model_type, [])
        rows.append(
            {
                "model_type": model_type,
                "family": name,
                "fidelity": "exact" if set(parts) == set(PARTS) else "estimated",
                "compared": parts,
                "compared_text": ", ".join(parts) or "nothing",
                "reference": table["reference"] if parts else None,
                "date": table["date"] if parts else None,
            }
        )
    try:
        write(listing("families", rows, format, ("model_type", "fidelity", "family", "compared_text")), output)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
