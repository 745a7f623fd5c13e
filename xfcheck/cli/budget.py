"""What a config costs: parameters, active parameters, FLOPs, cache, memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answers import answers, emit, fail

if TYPE_CHECKING:
    from ..documents.folder import ModelFolder


def command(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Config files, model folders, trees to search, or - for stdin.")],
    batch: Annotated[int, typer.Option(min=1, help="Sequences.")] = 1,
    context: Annotated[int | None, typer.Option(min=1, help="Tokens of each; default: deploy.context_length, else the file's maximum, else 4096.")] = None,
    source_length: Annotated[int | None, typer.Option(min=1, help="Tokens an encoder reads; default: the context.")] = None,
    dtype: Annotated[str | None, typer.Option(help="bf16, fp16, fp32, fp8; default: the file's, else bf16.")] = None,
    cache_dtype: Annotated[str | None, typer.Option(help="Dtype of the cache (also q8_0, q4_0); default: --dtype.")] = None,
    engine: Annotated[str, typer.Option(help="In whose terms the cache is counted: logical, transformers.")] = "logical",
    require_exact: Annotated[bool, typer.Option("--require-exact", help="Exit 2 where a number is not held to a reference.")] = False,
    format: Annotated[str, typer.Option(help="text, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Formulas with this model's dimensions.")] = False,
) -> None:
    """Print the budget of each path."""
    from ..accounting.budget import Options, budget
    from ..model import load
    from ..problems import Usage

    options = Options(batch=batch, context=context, dtype=dtype, cache_dtype=cache_dtype, engine=engine, source=source_length)

    def answer(folder: ModelFolder) -> dict[str, Any]:
        return budget(load(folder), options)

    def text(result: dict[str, Any]) -> str:
        from ..reports.budget_text import render

        return render(result, verbose=verbose)

    try:
        options.check()
        results, failed = answers(paths, answer)
        emit(results, format, output, text)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
    inexact = require_exact and any(r.get("fidelity") != "exact" for r in results)
    raise typer.Exit(2 if failed or inexact else 0)
