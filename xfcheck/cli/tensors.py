"""Every tensor a checkpoint of a config holds: name, shape, role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answers import answers, emit, fail

if TYPE_CHECKING:
    from ..documents.folder import ModelFolder


def command(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Config files, model folders, trees to search, or - for stdin.")],
    names: Annotated[str, typer.Option(help="checkpoint: as saved; module: as transformers' modules hold them.")] = "checkpoint",
    include_not_loaded: Annotated[
        bool,
        typer.Option(
            "--include-not-loaded", help="List tensors of published checkpoints that transformers does not build (draft layers) too."
        ),
    ] = False,
    against: Annotated[
        str | None, typer.Option(help="Compare with this checkpoint: a folder, a safetensors file or an index. Exit 1 where they differ.")
    ] = None,
    require_exact: Annotated[
        bool, typer.Option("--require-exact", help="Exit 2 where names and shapes are not held to a reference.")
    ] = False,
    format: Annotated[str, typer.Option(help="text, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Print the tensors of each path, one row for all layers and experts that hold the like."""
    from ..model import load
    from ..problems import Usage
    from ..reports.tensors import listing

    if names not in ("checkpoint", "module"):
        raise typer.Exit(fail(Usage(f"--names is checkpoint or module, not {names!r}")))

    def answer(folder: ModelFolder) -> dict[str, Any]:
        if against is not None:
            from ..checkpoint.files import open_checkpoint
            from ..reports.checkpoint import comparison

            return comparison(load(folder), open_checkpoint(against))
        return listing(load(folder), names, not_loaded=include_not_loaded)

    def text(result: dict[str, Any]) -> str:
        if against is not None:
            from ..reports import checkpoint

            return checkpoint.render(result)
        from ..reports.tensors import render

        return render(result)

    try:
        results, failed = answers(paths, answer, alone=against is not None)
        emit(results, format, output, text)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
    inexact = require_exact and any(r.get("fidelity") != "exact" for r in results)
    differs = any(r.get("agrees") is False for r in results)
    raise typer.Exit(2 if failed or inexact else int(differs))
