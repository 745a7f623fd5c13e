"""What `lint` found about one path, and about all of a run, as the formats need it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ..rules._finding import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..documents.document import Document
    from ..documents.folder import ModelFolder
    from ..rules._engine import Report
    from ..rules._finding import Finding


BEFORE, WIDTH = 60, 110
"""How much of a line is shown: characters before the caret, and in all. A config on one line can be a megabyte."""


class Place(NamedTuple):
    """A finding with the path of its file, relative to the working directory and with forward slashes.

    `source` is the part of its line around it, `caret` the 0-based column in that part; null where there is no line.
    """

    finding: Finding
    path: str
    source: str | None = None
    caret: int = 0


class Linted(NamedTuple):
    """One path: as it was given or found, the engine's report, and its findings in their places. It can be sent between processes.

    `config` is the path of the config's file, relative to the working directory; `fail_on` what counts for this path.
    """

    path: str
    report: Report
    places: tuple[Place, ...]
    config: str
    fail_on: str = "error"

    def fails(self, finding: Finding) -> bool:
        """Whether a finding is at or above `fail_on`."""
        return self.fail_on != "never" and LEVELS[finding.severity] >= LEVELS[self.fail_on]


class Run(NamedTuple):
    """Everything a format may show.

    `problems` are the paths that could not be read at all; `notes` what a reader should know of the run (stale entries of a baseline);
    `statistics`: counts by rule in place of the findings; `quiet`: no summary; `color`: escape codes are welcome;
    `columns`: how wide a text may be, null for any width.
    """

    files: list[Linted]
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    quiet: bool = False
    statistics: bool = False
    color: bool = False
    columns: int | None = None

    def places(self) -> Iterator[Place]:
        """All findings in order."""
        for file in self.files:
            yield from file.places

    def counts(self) -> dict[str, int]:
        """How many findings of each severity are shown."""
        out = {"error": 0, "warning": 0, "info": 0}
        for place in self.places():
            out[place.finding.severity] += 1
        return out

    def by_rule(self) -> list[tuple[int, str, str, str]]:
        """(count, code, name, severity) of each rule that found something, the most frequent first."""
        out: dict[str, tuple[int, str, str, str]] = {}
        for place in self.places():
            finding = place.finding
            before = out.get(finding.code)
            severity = finding.severity if before is None or LEVELS[finding.severity] > LEVELS[before[3]] else before[3]
            out[finding.code] = ((0 if before is None else before[0]) + 1, finding.code, finding.name, severity)
        return sorted(out.values(), key=lambda row: (-row[0], row[1]))

    @property
    def hidden(self) -> int:
        """How many infos are not shown."""
        return sum(file.report.hidden for file in self.files)

    @property
    def crashed(self) -> bool:
        """Whether a rule crashed."""
        return any(file.report.crashed for file in self.files)

    @property
    def failed(self) -> bool:
        """Whether any finding is at or above the `fail_on` of its path."""
        return any(file.fails(place.finding) for file in self.files for place in file.places)


def relative(path: str) -> str:
    """A path from the working directory, with forward slashes; one outside of it stays as it is."""
    if path == "-":
        return path
    path = path.replace(os.sep, "/") if os.sep != "/" else path
    if os.path.isabs(path):  # noqa: PTH117  pathlib costs start-up time
        here = os.getcwd().replace(os.sep, "/").rstrip("/") + "/"  # noqa: PTH109
        return path[len(here) :] if path.startswith(here) else path
    return os.path.normpath(path).replace(os.sep, "/") if "./" in path or "//" in path else path


def linted(path: str, folder: ModelFolder, report: Report) -> Linted:
    """The findings of a report in their places."""
    config = relative(path if folder.config is None else folder.config.path)
    rows = None if report.sample is None else report.sample.path
    places = tuple(
        Place(f, relative(rows)) if rows is not None and f.file == rows else Place(f, _where(folder, f), *_source(folder, f))
        for f in report.findings
    )
    return Linted(path, report, places, config)


def _where(folder: ModelFolder, finding: Finding) -> str:
    config = folder.config
    if config is not None and config.path.rpartition("/")[2] == finding.file:
        return relative(config.path)
    if folder.directory is None or (config is None and finding.file == folder.path):
        return relative(finding.file)
    return relative(f"{folder.directory}/{finding.file}" if folder.directory not in ("", "/") else f"{folder.directory}{finding.file}")


def _source(folder: ModelFolder, finding: Finding) -> tuple[str | None, int]:
    if finding.line is None or finding.column is None:
        return None, 0
    document: Document | None = folder.config
    if document is None or document.path.rpartition("/")[2] != finding.file:
        document = folder.side(finding.file) if folder.directory is not None else None
    line = None if document is None else document.line(finding.line)
    start = max(0, finding.column - BEFORE)
    return (None, 0) if line is None else (line[start : start + WIDTH], finding.column - 1 - start)


def fingerprints(run: Run) -> Iterator[tuple[Place, str]]:
    """Each finding with a text that stays while its file is edited elsewhere: of rule, path, pointer, and number among equals."""
    from hashlib import sha256

    seen: dict[tuple[str, str, str], int] = {}
    for place in run.places():
        key = (place.finding.code, place.path, place.finding.pointer)
        seen[key] = seen.get(key, -1) + 1
        yield place, sha256("\0".join((*key, str(seen[key]))).encode("utf-8", "surrogatepass")).hexdigest()[:32]
