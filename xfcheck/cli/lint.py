"""Is this config right? Findings with rule codes; exit 1 where one is at or above --fail-on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..reports.envelope import line, stamped
from .answers import fail, opened, write

if TYPE_CHECKING:
    from ..documents.folder import ModelFolder
    from ..rules._engine import Report

FORMATS = ("text", "concise", "json", "jsonl")


def command(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Config files, model folders, trees to search, or - for stdin.")],
    select: Annotated[list[str] | None, typer.Option(help="Only these codes or prefixes (XF3, XF104, ALL).")] = None,
    extend_select: Annotated[list[str] | None, typer.Option(help="These codes or prefixes as well; ALL takes in the infos.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Not these codes or prefixes.")] = None,
    fail_on: Annotated[str, typer.Option(help="error, warning, info or never.")] = "error",
    set_: Annotated[list[str] | None, typer.Option("--set", help="Override a key of xfcheck.yaml: deploy.tensor_parallel=8.")] = None,
    format: Annotated[str, typer.Option(help="text, concise, json or jsonl.")] = "text",
    output: Annotated[str | None, typer.Option(help="Write to this file.")] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Findings alone, no summary.")] = False,
) -> None:
    """Lint each path."""
    from ..problems import Usage
    from ..rules._engine import lint
    from ..rules._finding import LEVELS
    from ..rules._registry import index
    from ..rules._selection import Selection, parse

    try:
        if fail_on not in (*LEVELS, "never"):
            raise Usage(f"--fail-on is error, warning, info or never, not {fail_on!r}")
        if format not in FORMATS:
            raise Usage(f"unknown format {format!r}; one of {', '.join(FORMATS)}")
        known = index()
        selection = Selection(parse(select, known) if select else None, parse(extend_select or (), known), parse(ignore or (), known))
        reports: list[tuple[str, ModelFolder, Report]] = []
        missing = []
        for path, folder in opened(paths):
            if isinstance(folder, Usage):
                missing.append(folder)
                continue
            for assignment in set_ or ():
                folder.override(assignment)
            reports.append((path, folder, lint(folder, selection)))
        write(_rendered(reports, format, quiet=quiet), output)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
    for problem in missing:
        fail(problem)
    worst = max((LEVELS[f.severity] for _, _, r in reports for f in r.findings), default=-1)
    if missing or any(r.crashed for _, _, r in reports):
        raise typer.Exit(2)
    raise typer.Exit(1 if fail_on != "never" and worst >= LEVELS[fail_on] else 0)


def _rendered(reports: list[tuple[str, ModelFolder, Report]], how: str, *, quiet: bool) -> str:
    from ..reports import findings

    only = [r for _, _, r in reports]
    if how in ("json", "jsonl"):
        files = [_object(path, report) for path, _, report in reports]
        if how == "jsonl":
            return "".join(line(f) + "\n" for f in files)
        import json

        summary = {**findings.counts(only), "not_shown": sum(r.hidden for r in only)}
        return json.dumps(stamped({"files": files, "summary": summary}), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if how == "concise":
        lines = [findings.concise(path, f) for path, _, report in reports for f in report.findings]
    else:
        lines = [findings.text(path, f, folder) for path, folder, report in reports for f in report.findings]
    body = "".join(f"{text}\n" for text in lines)
    return body if quiet else body + findings.summary(only)


def _object(path: str, report: Report) -> dict[str, Any]:
    return {"path": path, "model_type": report.model_type, "fidelity": report.fidelity, "findings": [f.as_json() for f in report.findings]}
