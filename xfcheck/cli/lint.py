"""Is this config right? Findings with rule codes; exit 1 where one is at or above --fail-on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from .answers import fail, without_config

if TYPE_CHECKING:
    from ..reports.linted import Linted, Run
    from .collect import Search
    from .linting import Linter

Codes = list[str] | None


def command(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH...", help="Config files, model folders, trees to search, or -; default: .")
    ] = None,
    select: Annotated[Codes, typer.Option(help="Only these codes or prefixes (XF3, XF104, ALL).")] = None,
    extend_select: Annotated[Codes, typer.Option(help="These codes or prefixes as well; ALL takes in the infos.")] = None,
    ignore: Annotated[Codes, typer.Option(help="Not these codes or prefixes.")] = None,
    fail_on: Annotated[str | None, typer.Option(help="error, warning, info or never; default: error.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Override a key of xfcheck.yaml: deploy.tensor_parallel=8.")] = None,
    format: Annotated[str, typer.Option(help="text, concise, json, jsonl, sarif, github, gitlab, junit or markdown.")] = "text",
    output: Annotated[
        list[str] | None, typer.Option(metavar="FILE|FORMAT:FILE", help="Write to this file; FORMAT:FILE is one more report.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Make the safe fixes; all else in the file stays as it is.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what --fix would change; exit 1 if anything.")] = False,
    statistics: Annotated[bool, typer.Option("--statistics", help="Counts by rule in place of the findings.")] = False,
    baseline: Annotated[str | None, typer.Option(help="Do not report what this file knows.")] = None,
    baseline_write: Annotated[str | None, typer.Option(help="Write all findings as the baseline; exit 0.")] = None,
    config: Annotated[str | None, typer.Option(help="This xfcheck.toml or pyproject.toml for every path.")] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help="Read no configuration file.")] = False,
    exclude: Annotated[list[str] | None, typer.Option(help="Leave paths like this out of a search, as in .gitignore.")] = None,
    force_exclude: Annotated[bool, typer.Option("--force-exclude", help="Leave excluded paths out even where they are named.")] = False,
    configs_only: Annotated[bool, typer.Option("--configs-only", help="Pass over named files that hold no model config.")] = False,
    changed_since: Annotated[str | None, typer.Option(metavar="REV", help="Only what changed since it left this git revision.")] = None,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=0, help="Processes; 0: as many as pay.")] = 0,
    color: Annotated[str, typer.Option(help="auto, always or never.")] = "auto",
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Findings alone, no summary.")] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Say on standard error which settings were read.")] = False,
    sample: Annotated[
        str | None, typer.Option(metavar="ROWS.jsonl", help="Judge these rows too: input_ids, attention_mask, labels, position_ids.")
    ] = None,
) -> None:
    """Lint each path."""
    from ..problems import Usage
    from .collect import Search
    from .linting import Linter, Plan
    from .outputs import emit, targets, use_color

    try:
        wanted = targets(format, output or ())
        use_color(color)
        plan = Plan(
            config, isolated, _codes(select) if select else None, _codes(extend_select), _codes(ignore), _level(fail_on), tuple(set_ or ()),
            "diff" if diff else "write" if fix else "", sample,
        )  # fmt: skip
        linter = Linter(plan)
        search = Search(linter.finder, tuple(exclude or ()), force_exclude, configs_only, changed_since)
        found = _gathered(linter, search, paths or ["."], jobs)
        if diff:
            code = _show_diff(found)
        elif baseline_write is not None:
            code = _write_baseline(found, baseline_write)
        else:
            run = _run(found, baseline)._replace(quiet=quiet, statistics=statistics)
            emit(run, wanted, color)
            code = 2 if run.problems or run.crashed else int(run.failed)
        if verbose:
            _tell(linter, found)
    except Usage as problem:
        raise typer.Exit(fail(problem)) from None
    for text in found.problems:
        from ..reports.plain import plain

        fail(Usage(plain(text)))  # a path may hold a line end
    raise typer.Exit(code)


def _codes(texts: list[str] | None) -> tuple[str, ...]:
    if not texts:
        return ()
    from ..rules._registry import index
    from ..rules._selection import parse

    return parse(texts, index())


def _level(name: str | None) -> str | None:
    from ..problems import Usage
    from ..rules._finding import LEVELS

    if name is not None and name not in (*LEVELS, "never"):
        raise Usage(f"--fail-on is error, warning, info or never, not {name!r}")
    return name


class Gathered(NamedTuple):
    """What came of all paths."""

    files: list[Linted]
    problems: list[str]
    fixed: int
    diffs: str


def _gathered(linter: Linter, search: Search, paths: list[str], jobs: int) -> Gathered:
    """Everything about the paths; a path that is not there, or holds no config, is a problem and the others are still answered."""
    from ..documents.folder import is_directory
    from ..problems import Usage
    from .linting import outcomes

    candidates, problems, files, diffs, fixed = [], [], [], [], 0
    for item in search.candidates(paths):
        if isinstance(item, Usage):
            problems.append(str(item))
        else:
            candidates.append(item)
    roots = set()
    for outcome in outcomes(candidates, linter, jobs):
        fixed += outcome.fixed
        diffs.append(outcome.diff)
        if outcome.problem is not None:
            problems.append(outcome.problem)
        if outcome.linted is not None:
            roots.add(outcome.root)
            files.append(outcome.linted)
    if search.since is None and not search.configs_only:
        problems += [str(without_config(path)) for path in dict.fromkeys(paths) if path not in roots and is_directory(path)]
    return Gathered(files, list(dict.fromkeys(problems)), fixed, "".join(diffs))


def _run(found: Gathered, baseline: str | None) -> Run:
    from ..reports.linted import Run

    files, notes = found.files, []
    if baseline is not None:
        from ..suppressions.baseline import subtracted

        files, stale = subtracted(baseline, files)
        if stale:
            notes.append(f"{stale} {'entry' if stale == 1 else 'entries'} of {baseline} found nothing: --baseline-write takes such out")
    notes += [file.report.sample.text() for file in files if file.report.sample is not None]
    if found.fixed:
        notes.append(f"{found.fixed} fixed")
    return Run(files, tuple(found.problems), tuple(notes))


def _show_diff(found: Gathered) -> int:
    from .answers import write

    write(found.diffs, None)
    print(f"{found.fixed} to fix" if found.fixed else "nothing to fix", file=sys.stderr)
    return 2 if found.problems else int(bool(found.diffs))


def _write_baseline(found: Gathered, path: str) -> int:
    from ..suppressions.baseline import written
    from .answers import write

    write(written(path, found.files), path)
    print(f"{sum(len(file.places) for file in found.files)} findings written to {path}", file=sys.stderr)
    return 2 if found.problems or any(file.report.crashed for file in found.files) else 0


def _tell(linter: Linter, found: Gathered) -> None:
    used = sorted({settings.file for settings in linter.settings_used if settings.file is not None})
    print(f"xfcheck: {len(found.files)} configs; settings: {', '.join(used) or 'none'}", file=sys.stderr)
