"""The shape ledger: every activation from token ids to logits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answers import answers, emit, fail
from .counts import UNITS, count

if TYPE_CHECKING:
    from ..documents.folder import ModelFolder


def command(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Config files, model folders, trees to search, or - for stdin.")],
    batch: Annotated[int, typer.Option(metavar="N", parser=count, help="Sequences.")] = 1,
    length: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help=f"Tokens of each ({UNITS}); default: the file's maximum, else 4096.")
    ] = None,
    source_length: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="Tokens that an encoder reads; default: the length.")
    ] = None,
    dtype: Annotated[str | None, typer.Option(help="bf16, fp16, fp32, fp8; default: the file's, else bf16.")] = None,
    format: Annotated[str, typer.Option(help="text, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Print the activations of each path, one kind of block after another."""
    from ..accounting.dtypes import full_name
    from ..model import load
    from ..problems import Usage
    from ..reports.shapes import listing, render

    try:
        named = None if dtype is None else full_name(dtype)
        if dtype is not None and named is None:
            raise Usage(f"unknown dtype {dtype!r}")

        def answer(folder: ModelFolder) -> dict[str, Any]:
            return listing(load(folder), batch=batch, length=length, source=source_length, dtype=named)

        results, failed = answers(paths, answer)
        emit(results, format, output, render)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
    raise typer.Exit(2 if failed else 0)
