"""Linting candidates one by one, in this process or in several: settings, suppressions, fixes."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from ..documents.search import may_hold_config
from ..problems import Usage
from ..reports.linted import Linted, linted
from ..rules._engine import lint
from ..rules._selection import Selection
from ..settings.discovery import Finder, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..documents.folder import ModelFolder
    from ..rules._engine import Report
    from .collect import Candidate

PAYS = 1500
"""From how many candidates on a second process is quicker: starting one costs what a thousand files do."""


class Plan(NamedTuple):
    """What the flags ask for; it can be sent to another process. `fix` is "", "write" or "diff"."""

    config: str | None = None
    isolated: bool = False
    select: tuple[str, ...] | None = None
    extend: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str | None = None
    assignments: tuple[str, ...] = ()
    fix: str = ""
    sample: str | None = None


class Outcome(NamedTuple):
    """What came of a candidate: its findings (null: it holds no model config), how many were fixed, the diff, what stood in the way."""

    root: str
    linted: Linted | None
    fixed: int = 0
    diff: str = ""
    problem: str | None = None


class Linter:
    """Lints candidates by a plan; settings are found by folder."""

    def __init__(self, plan: Plan, finder: Finder | None = None) -> None:
        self.plan = plan
        self.finder = finder or Finder(plan.config, isolated=plan.isolated)
        self._selections: dict[int, tuple[Settings, Selection]] = {}

    def one(self, candidate: Candidate) -> Outcome:
        """Lint one candidate. Raises Usage for a wrong setting or assignment."""
        folder = candidate.open()
        if folder is None:
            return Outcome(candidate.root, None)
        settings = self.finder.at("." if folder.directory is None else folder.directory or ".")
        report = self._report(folder, settings)
        if not self.plan.fix or not any(f.fix is not None and f.fix.safe for f in report.findings):
            return Outcome(candidate.root, self._placed(candidate, folder, report, settings))
        return self._fixed(candidate, folder, report, settings)

    def selection(self, settings: Settings) -> Selection:
        """The flags over the settings: `--select` takes the place of the file's, the rest adds to it."""
        if id(settings) not in self._selections:
            plan = self.plan
            select = settings.select if plan.select is None else plan.select
            left = tuple(code for code in settings.ignore if code not in (plan.select or ()) and code not in plan.extend)
            chosen = Selection(select, settings.extend_select + plan.extend, left + plan.ignore, settings.severities)
            self._selections[id(settings)] = settings, chosen
        return self._selections[id(settings)][1]

    @property
    def settings_used(self) -> list[Settings]:
        """The settings that counted for some candidate of this process."""
        return [settings for settings, _ in self._selections.values()]

    def _report(self, folder: ModelFolder, settings: Settings) -> Report:
        self._target(folder, settings)
        for assignment in self.plan.assignments:
            folder.override(assignment)
        selection = self.selection(settings)
        report = lint(folder, selection)
        if self.plan.sample is not None:
            from ..rules._engine import with_sample

            report = with_sample(report, folder, self.plan.sample, selection)
        findings = report.findings
        for document in (folder.config, folder.side("xfcheck.yaml") if folder.directory is not None else None):
            if document is not None and "xfcheck:" in document.text and document.format != "json":
                from ..suppressions.comments import kept

                name = document.path.rpartition("/")[2]
                own = [f for f in findings if f.file == name]
                shared = document is not folder.config and sum(map(may_hold_config, folder.beside())) > 1
                findings = [f for f in findings if f.file != name] + kept(document, own, selection, shared=shared)
        return report._replace(findings=sorted(findings, key=lambda f: f.file)) if findings is not report.findings else report

    def _target(self, folder: ModelFolder, settings: Settings) -> None:
        """The targets of the settings, where no xfcheck.yaml says otherwise."""
        if settings.engine is None and settings.readers is None:
            return
        import json

        deploy = folder.xfcheck.deploy
        if settings.engine is not None and deploy.engine is None:
            folder.override(f"deploy.engine={settings.engine}")
        if settings.readers is not None and deploy.readers is None:
            folder.override(f"deploy.readers={json.dumps(settings.readers)}")

    def _placed(self, candidate: Candidate, folder: ModelFolder, report: Report, settings: Settings) -> Linted:
        found = linted(candidate.path, folder, report)
        if settings.per_file_ignores:
            inner = {p.path: os.path.relpath(p.path, settings.folder).replace(os.sep, "/") for p in found.places}
            places = tuple(
                p
                for p in found.places
                if not any(
                    i.fits.fullmatch(inner[p.path]) and any(_begins(p.finding.code, c) for c in i.codes) for i in settings.per_file_ignores
                )
            )
            found = found._replace(places=places)
        return found._replace(fail_on=self.plan.fail_on or settings.fail_on)

    def _fixed(self, candidate: Candidate, folder: ModelFolder, report: Report, settings: Settings) -> Outcome:
        from ..fixes.apply import changes, diff, write

        before = self._placed(candidate, folder, report, settings)
        made = changes(folder, [place.finding for place in before.places])
        count = sum(change.fixed for change in made)
        if self.plan.fix == "diff" or not made:
            return Outcome(candidate.root, before, count, "".join(map(diff, made)))
        if candidate.path == "-":
            raise Usage("--fix cannot write standard input; --diff shows what it would change")
        try:
            for change in made:
                write(change)
        except Usage as problem:
            return Outcome(candidate.root, before, 0, problem=str(problem))
        again = candidate.open()
        if again is None:
            return Outcome(candidate.root, None, count)
        return Outcome(candidate.root, self._placed(candidate, again, self._report(again, settings), settings), count)


def _begins(code: str, prefix: str) -> bool:
    return prefix == "ALL" or code.startswith(prefix)


def outcomes(candidates: Iterable[Candidate], linter: Linter, jobs: int) -> Iterator[Outcome]:
    """What comes of each candidate, in order. `jobs` 0: as many processes as pay, 1: none beside this one."""
    listed = list(candidates)
    processes = min(_processors() if jobs == 0 else jobs, len(listed))
    told = _Progress(len(listed))
    if processes < 2 or (jobs == 0 and len(listed) < PAYS) or any(c.path == "-" for c in listed):
        for candidate in listed:
            yield linter.one(candidate)
            told.step()
    else:
        yield from _parallel(listed, linter.plan, processes, told)
    told.end()


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _parallel(listed: list[Candidate], plan: Plan, processes: int, told: _Progress) -> Iterator[Outcome]:
    from concurrent.futures import ProcessPoolExecutor

    chunk = max(1, min(64, len(listed) // (processes * 4)))
    with ProcessPoolExecutor(processes, initializer=_begin, initargs=(plan,)) as pool:
        try:
            for outcome in pool.map(_work, listed, chunksize=chunk):
                if isinstance(outcome, str):
                    raise Usage(outcome)
                yield outcome
                told.step()
        except BaseException:  # an interrupt too: what was not begun is not done
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_linter: Linter | None = None


def _begin(plan: Plan) -> None:
    global _linter  # noqa: PLW0603  the state of a worker process
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _linter = Linter(plan)


def _work(candidate: Candidate) -> Outcome | str:
    assert _linter is not None
    try:
        return _linter.one(candidate)
    except Usage as problem:
        return str(problem)


class _Progress:
    """`120/2000` on standard error, if it is a terminal and the run takes more than a second."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._shown = total, 0, False
        self._next = time.monotonic() + 1 if total > 1 and sys.stderr is not None and sys.stderr.isatty() else float("inf")

    def step(self) -> None:
        self._done += 1
        if self._done % 16 == 0 and time.monotonic() > self._next:
            self._next, self._shown = time.monotonic() + 0.2, True
            print(f"\r{self._done}/{self._total} looked at", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
