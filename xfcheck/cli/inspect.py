"""The six questions of a Transformer config, answered from its files: each answer with its evidence, or "not answered"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answers import answers, emit, fail

if TYPE_CHECKING:
    from ..documents.folder import ModelFolder


def command(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Config files, model folders, trees to search, or - for stdin.")],
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 where a question is not answered.")] = False,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Override a key of xfcheck.yaml: deploy.context_length=32768.")] = None,
    format: Annotated[str, typer.Option(help="text, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Answer the six questions about each path."""
    from ..model import load
    from ..problems import Usage
    from ..reports.inspection import inspection, render
    from ..rules._context import Context

    def answer(folder: ModelFolder) -> dict[str, Any]:
        for assignment in set_ or ():
            folder.override(assignment)
        return inspection(Context(folder), load(folder))

    try:
        results, failed = answers(paths, answer)
        emit(results, format, output, render)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
    unanswered = strict and any(not q["answered"] for r in results for q in r.get("questions", ()))
    raise typer.Exit(2 if failed else int(unanswered))
