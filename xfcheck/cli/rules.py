"""All rules, or those of the codes given: code, severity, name; with --format json also whether they are on by default."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .answers import fail, write


def command(
    codes: Annotated[
        list[str] | None, typer.Argument(metavar="CODE...", help="Only these codes or prefixes: XF3, XF104.", show_default=False)
    ] = None,
    format: Annotated[str, typer.Option(help="text, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """List the rules."""
    from ..problems import Usage
    from ..reports.listings import listing
    from ..rules._plumbing import RULES
    from ..rules._registry import index
    from ..rules._selection import parse

    known = sorted([*index().values(), *RULES.values()])
    rows: list[dict[str, Any]] = []
    try:
        wanted = parse(codes or ["ALL"], [rule.code for rule in known])
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
    for rule in known:
        if "ALL" not in wanted and not rule.code.startswith(wanted):
            continue
        group = "tool" if rule.code in RULES else rule.module.partition(".")[0]
        row = {"code": rule.code, "name": rule.name, "severity": rule.severity, "status": rule.status, "on": rule.on, "group": group}
        rows.append(row)
    try:
        write(listing("rules", rows, format, ("code", "severity", "name")), output, wrap=format == "text")
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
