"""Proof: an independent torch build on meta against the ledger, FLOPs and cache; laws on a scaled-down instance; a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answers import answers, emit, fail

if TYPE_CHECKING:
    from ..documents.folder import ModelFolder

MISSING = "verify needs torch: pip install 'xfcheck[torch]'"


def command(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Config files, model folders, trees to search, or - for stdin.")],
    laws: Annotated[
        bool,
        typer.Option(
            "--laws", help="Run the laws of attention, positions, norms, experts and recurrences on a scaled-down instance, in 64 bits."
        ),
    ] = False,
    device: Annotated[str, typer.Option(help="Where laws run: auto (a GPU where there is one), cpu, cuda, cuda:1 or mps.")] = "auto",
    against: Annotated[
        str | None, typer.Option(help="transformers, or a checkpoint (folder, .safetensors or index) to compare with.")
    ] = None,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds that a reference may take.")] = 120,
    require_exact: Annotated[bool, typer.Option("--require-exact", help="Exit 2 where the family is not held to a reference.")] = False,
    format: Annotated[str, typer.Option(help="text, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Print one row a check; exit 1 where one differs."""
    from importlib.util import find_spec

    from ..model import load
    from ..problems import Usage

    if find_spec("torch") is None:
        raise typer.Exit(fail(Usage(MISSING)))
    from ..verification.verify import answer, verify

    place = None
    try:
        if laws:
            from ..laws.device import choose

            place = choose(device)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None

    def each(folder: ModelFolder) -> dict[str, Any]:
        model = load(folder)
        return answer(model, verify(model, laws=place, against=against, timeout=timeout))

    def text(result: dict[str, Any]) -> str:
        from ..reports.verification import render

        return render(result)

    try:
        results, failed = answers(paths, each)
        emit(results, format, output, text)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
    inexact = require_exact and any(r.get("fidelity") != "exact" for r in results)
    differs = any(row["verdict"] == "differs" for r in results for row in r.get("rows", ()))
    raise typer.Exit(2 if failed or inexact else 1 if differs else 0)
