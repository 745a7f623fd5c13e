"""All model types that are read, or those with a name in them, each with what its numbers were compared with."""

from __future__ import annotations

from typing import Annotated

import typer

from .answers import fail, write


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="Only model types whose name or family holds one of these: llama.", show_default=False),
    ] = None,
    format: Annotated[str, typer.Option(help="text, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """List the model types with its fidelity: exact where all of parameters, active, flops and cache agree with the reference."""
    from difflib import get_close_matches

    from ..families._index import index
    from ..model import PARTS, verified
    from ..problems import Usage
    from ..reports.listings import listing

    table = verified()
    rows = []
    for model_type, name in index().items():
        if names and not any(n.lower() in model_type.lower() or n.lower() in name for n in names):
            continue
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
        if not rows:
            near = get_close_matches(names[0].lower(), index(), 1) if names else []
            raise Usage(f"no model type like {', '.join(names or ())}" + (f"; did you mean {near[0]}?" if near else ""))
        write(listing("families", rows, format, ("model_type", "fidelity", "family", "compared_text")), output, wrap=format == "text")
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
