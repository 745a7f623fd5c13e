"""Where reports go: standard output, files, the step summary of GitHub Actions."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from ..problems import Usage
from ..reports.formats import FORMATS, known, rendered
from .answers import columns, write

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..reports.linted import Run

SUMMARY_BYTES = 1_000_000


class Target(NamedTuple):
    """A format and where it goes; null is standard output."""

    format: str
    file: str | None


def targets(format: str, outputs: Iterable[str]) -> list[Target]:
    """The targets of the flags.

    `FORMAT:FILE` is one more report, a plain `FILE` takes the one of `--format` off standard output. Raises Usage for a format that is not
    there and for two plain files.
    """
    main, more, plain_file = known(format), [], None
    for output in outputs:
        name, colon, file = output.partition(":")
        if colon and name in FORMATS and not file:
            raise Usage(f"--output {output}: write FORMAT:FILE, such as {name}:report")
        if colon and name in FORMATS:
            more.append(Target(name, None if file == "-" else file))
        elif colon and name.isalpha() and len(name) > 1 and not os.path.lexists(name) and _near(name):
            known(name)
        elif plain_file is not None:
            raise Usage(f"--output {output}: one plain file is the report of --format; write FORMAT:FILE for others")
        else:
            plain_file = output
    return [Target(main, None if plain_file in (None, "-") else plain_file), *more]


def _near(name: str) -> bool:
    from difflib import get_close_matches

    return bool(get_close_matches(name, FORMATS, 1))


def emit(run: Run, wanted: list[Target], color: str) -> None:
    """Write the report of each target, each file whole or not at all, and the step summary. Raises Usage where one cannot be written."""
    for target in wanted:
        shown = run
        if target.file is None and target.format == "text":
            shown = run._replace(color=use_color(color), columns=columns(None))
        write(rendered(shown, target.format), target.file)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and any(target.format in ("github", "markdown") for target in wanted):
        _append(rendered(run, "markdown"), summary)


def _append(text: str, path: str) -> None:
    """GitHub refuses a summary over a megabyte as a whole: one that would not fit is left out."""
    try:
        with open(path, "ab") as file:  # noqa: PTH123  pathlib costs start-up time
            if file.tell() + len(text.encode()) + 1 <= SUMMARY_BYTES:
                file.write(text.encode() + b"\n")
    except OSError as error:
        print(f"xfcheck: the step summary cannot be written: {error.strerror}", file=sys.stderr)


def use_color(choice: str) -> bool:
    """Whether to color standard output: `auto` means a terminal, no NO_COLOR, and a TERM that is not dumb."""
    if choice not in ("auto", "always", "never"):
        raise Usage(f"--color is auto, always or never, not {choice!r}")
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
