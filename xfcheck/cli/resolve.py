"""The effective config as each reader sees it, every value with its origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answers import answers, emit, fail

if TYPE_CHECKING:
    from ..documents.folder import ModelFolder


def command(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Config files, model folders, trees to search, or - for stdin.")],
    reader: Annotated[
        list[str] | None, typer.Option("--reader", help="transformers@4, transformers@5, vllm, llama.cpp; default: all.")
    ] = None,
    diff: Annotated[tuple[str, str] | None, typer.Option("--diff", metavar="READER READER", help="Where two readers differ.")] = None,
    format: Annotated[str, typer.Option(help="text, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Print what each reader makes of each path."""
    from ..problems import Refused, Usage
    from ..readers.views import known
    from ..reports.resolution import difference, render, resolution
    from ..rules._context import Context

    def answer(folder: ModelFolder) -> dict[str, Any]:
        config = folder.config
        if config is None or not isinstance(config.data, dict):
            fault = next(iter(config.problems), None) if config is not None else None
            raise Refused(
                "the file holds no config" if fault is None else fault.message, code="XF901", pointer="" if fault is None else fault.pointer
            )
        context = Context(folder)
        return resolution(context, readers) if pair is None else difference(context, *pair)

    try:
        readers = known(reader or ())
        pair = None if diff is None else (known(diff[:1])[0], known(diff[1:])[0])
        results, failed = answers(paths, answer)
        emit(results, format, output, render)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
    raise typer.Exit(2 if failed else 0)
