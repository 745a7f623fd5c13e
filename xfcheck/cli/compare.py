"""Costs side by side: variations of a config, several configs, two revisions of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .answers import columns, fail, tell_errors
from .counts import UNITS, count

if TYPE_CHECKING:
    from ..comparison.request import Request


def command(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Config files, model folders, trees to search, -, or REVISION:PATH of git.")
    ],
    vary: Annotated[
        list[str] | None,
        typer.Option(
            help="KEY=VALUE,VALUE: attention=mha,gqa:8,mqa,mla:512+64, window=4096, layers, hidden, d_ff, experts=64:6, context, any field."
        ),
    ] = None,
    keep: Annotated[
        str | None, typer.Option(help="parameters or flops: solve for d_ff, so that they stay those of the config as written.")
    ] = None,
    multiple_of: Annotated[int, typer.Option(min=1, help="The d_ff solved for is a multiple of this.")] = 1,
    baseline: Annotated[
        str | None, typer.Option(help="Name of the variant that others are compared with, or 'as written'; default: the first.")
    ] = None,
    columns: Annotated[str | None, typer.Option(help="Keys of the budget's JSON, between commas; also crossovers.NAME.")] = None,
    fail_if: Annotated[list[str] | None, typer.Option(help="Exit 1 where it holds: 'delta.parameters.total > 5%'.")] = None,
    batch: Annotated[int, typer.Option(metavar="N", parser=count, help="Sequences.")] = 1,
    context: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help=f"Tokens of each ({UNITS}); default: that of the config as `budget` takes it."),
    ] = None,
    source_length: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="Tokens an encoder reads; default: the context.")
    ] = None,
    dtype: Annotated[str | None, typer.Option(help="bf16, fp16, fp32, fp8; default: the file's, else bf16.")] = None,
    cache_dtype: Annotated[str | None, typer.Option(help="Dtype of the cache; default: --dtype.")] = None,
    engine: Annotated[str, typer.Option(help="In whose terms the cache is counted.")] = "logical",
    device: Annotated[
        str | None,
        typer.Option(help="Whether each fits this device (`xfcheck devices`): columns device.fits and others, and the roofline."),
    ] = None,
    write_: Annotated[
        str | None, typer.Option("--write", metavar="DIR", help="Write every variant out as a file that can be read again.")
    ] = None,
    plot: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND=FILE", help="Draw cache, flops, parameters, memory or roofline into a .svg or (extra plots) .png file."),
    ] = None,
    bars: Annotated[str | None, typer.Option(help="Column of the chart under the text; none for no chart.")] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Put measured kernels beside: the mixers of every variant, on this machine.")
    ] = False,
    budget_seconds: Annotated[float, typer.Option(min=0.1, help="Seconds that --measure may take.")] = 30.0,
    require_exact: Annotated[bool, typer.Option("--require-exact", help="Exit 2 where a number is not held to a reference.")] = False,
    format: Annotated[str, typer.Option(help="text, markdown, json, jsonl or csv.")] = "text",
    output: Annotated[str | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Exact numbers in the table.")] = False,
) -> None:
    """Compare, print, draw; 1 where a condition of --fail-if holds, 2 where something was refused."""
    from ..accounting.budget import Options
    from ..comparison.request import Asked, Request
    from ..problems import Usage

    options = Options(
        batch=batch, context=context, dtype=dtype, cache_dtype=cache_dtype, engine=engine, source=source_length, device=device
    )
    try:
        asked = Asked(vary or [], keep, multiple_of, baseline, columns, fail_if or [], plot or [], measure, budget_seconds, format)
        request = Request(options, asked)
        raise typer.Exit(_answer(request, paths, output, bars, write_, verbose=verbose, require_exact=require_exact))
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None


def _answer(
    request: Request, paths: list[str], output: str | None, bars: str | None, folder: str | None, *, verbose: bool, require_exact: bool
) -> int:
    import sys

    from ..comparison.request import compared
    from ..comparison.written import write_out, write_text
    from ..reports.comparison import rendered

    comparisons, failures = compared(paths, request)
    if folder is not None:
        write_out(comparisons, folder)
    for kind, file in request.plots:
        from ..reports.comparison_plots import draw

        draw(kind, file, comparisons)
    apart = request.format in ("text", "csv")
    if comparisons or not apart:
        write_text(rendered(comparisons, failures, request, bars=bars, exact=verbose, room=columns(output)), output)
    if apart:
        tell_errors(failures)
    tripped = request.tripped(comparisons)
    for name, condition in tripped:
        print(f"{name}: {condition}", file=sys.stderr)
    refused = bool(failures) or any(e.draft is None for c in comparisons for e in c.entries)
    inexact = require_exact and any(e.budget.get("fidelity") != "exact" for c in comparisons for e in c.costed)
    return 2 if refused or inexact else int(bool(tripped))
