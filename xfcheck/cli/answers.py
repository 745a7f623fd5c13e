"""What most commands do: a list of paths, one answer each, in one process."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ..documents.folder import is_directory, open_model
from ..documents.search import Unread, holds_folders
from ..problems import Refused, Usage
from ..reports.envelope import document, line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..documents.folder import ModelFolder

FORMATS = ("text", "json", "jsonl")


def opened(paths: Iterable[str], *, alone: bool = False) -> Iterator[tuple[str, ModelFolder | Usage]]:
    """Each path with what lies there; a folder is searched as `lint` does it. `alone`: one with a config.json is that one model."""
    for path in paths:
        if path != "-" and not os.path.lexists(path):
            yield path, missing(path)
            continue
        folder = open_model(path)
        if folder.config is not None:
            yield path, folder
        if folder.directory is None or not is_directory(path) or (folder.config is not None and (alone or not holds_folders(path))):
            continue
        from ..settings.discovery import Finder
        from .collect import Search

        found = folder.config is not None
        for candidate in Search(Finder()).below(path):
            if isinstance(candidate, Unread):
                found = found or candidate.path == path
                yield candidate.path, Usage(f"{candidate.path}: {candidate.why}")
            elif not candidate.certain:
                inner = candidate.open()
                if inner is not None:
                    found = True
                    yield candidate.path, inner
        if not found:
            yield path, without_config(path)


def missing(path: str) -> Usage:
    """What to say of a path that is not there, with the name nearest to it in its folder."""
    from difflib import get_close_matches

    folder, name = os.path.split(path.rstrip("/"))
    try:
        near = get_close_matches(name, os.listdir(folder or "."), 1)  # noqa: PTH208
    except (OSError, ValueError):
        near = []
    return Usage(f"{path}: no such file or folder" + (f"; did you mean {os.path.join(folder, near[0])}?" if near else ""))  # noqa: PTH118


def without_config(folder: str) -> Usage:
    """What to say of a folder in which no config was found."""
    readable = os.access(folder, os.R_OK | os.X_OK)
    return Usage(f"{folder}: {'no model config in' if readable else 'no permission to read'} this folder")


def answers(
    paths: Iterable[str], answer: Callable[[ModelFolder], dict[str, Any]], *, alone: bool = False
) -> tuple[list[dict[str, Any]], bool]:
    """(one object a path, whether one of them is an error). An error object has `path` and `error` with `code`, `message`, `pointer`."""
    out, failed = [], False
    for path, folder in opened(paths, alone=alone):
        try:
            if isinstance(folder, Usage):
                raise folder
            out.append({"path": path, **answer(folder)})
            _tell_settings(folder)
        except Refused as problem:
            failed = True
            error = {"code": problem.code, "message": problem.message, "pointer": problem.pointer, "help": problem.help}
            out.append({"path": path, "error": error})
        except Usage as problem:
            failed = True
            out.append({"path": path, "error": {"code": "usage", "message": str(problem), "pointer": "", "help": None}})
    return out, failed


def _tell_settings(folder: ModelFolder) -> None:
    """Say on standard error what xfcheck.yaml beside the config does not say: a misspelt key there moves no number in silence."""
    for problem in folder.xfcheck_problems:
        from ..documents.search import SETTINGS_FILE
        from ..reports.plain import plain

        at = f"{folder.directory or '.'}/{SETTINGS_FILE}" + (f":{problem.line}:{problem.column}" if problem.line else "")
        hint = f"; {problem.help}" if problem.help else ""
        print(plain(f"xfcheck: {at}: {problem.code} {problem.message}{hint}"), file=sys.stderr)


def emit(results: list[dict[str, Any]], how: str, output: str | None, text: Callable[[dict[str, Any]], str]) -> None:
    """Print or write the results in a format; text leaves errors to standard error. Raises Usage for an unknown format."""
    if how == "json":
        body = document(results) + "\n"
    elif how == "jsonl":
        body = "".join(line(result) + "\n" for result in results)
    elif how == "text":
        good = [text(r) for r in results if "error" not in r]
        if good or not results:
            write("\n".join(good), output, wrap=True)
        tell_errors(results)
        return
    else:
        raise Usage(f"unknown format {how!r}; one of {', '.join(FORMATS)}")
    write(body, output)


def tell_errors(results: Iterable[dict[str, Any]]) -> None:
    """Say on standard error what is wrong with the paths that have no answer: standard output holds the report alone."""
    from ..reports.plain import error_text

    for result in results:
        if "error" in result:
            print(error_text(result), end="", file=sys.stderr)


def columns(output: str | None) -> int | None:
    """How wide a text report may be: as the terminal is that it goes to, any width (null) in a pipe or a file."""
    if output not in (None, "-") or sys.stdout is None or not sys.stdout.isatty():
        return None
    from ..reports.terminal import width

    return width()


def write(body: str, output: str | None, *, wrap: bool = False) -> None:
    """To standard output, or to a file that appears whole or not at all; `wrap`: a text, to fit a terminal.

    Raises Usage where it cannot be written.
    """
    if wrap and columns(output) is not None:
        from ..reports.terminal import fitted

        body = fitted(body, columns(output))
    if output is None or output == "-":
        if hasattr(sys.stdout, "reconfigure"):
            # a terminal of another encoding than UTF-8 shows an escape, and no traceback
            sys.stdout.reconfigure(errors="backslashreplace")
        if sys.stdout is None:
            raise Usage("standard output is closed")
        try:
            sys.stdout.write(body)
            sys.stdout.flush()
        except BrokenPipeError:
            # a reader that has seen enough (`| head`) changes nothing of what was found: the exit code stays the command's own
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    whole = not os.path.lexists(output) or os.path.isfile(output)  # noqa: PTH113  a device, a pipe or a socket must not be replaced by a file
    part = f"{output}.{os.getpid()}.part" if whole else output
    try:
        with open(part, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123  pathlib costs start-up time
            file.write(body)
        if whole:
            os.replace(os.path.abspath(part), os.path.realpath(output))  # noqa: PTH100, PTH105  a link stays one
    except OSError as error:
        raise Usage(f"{output} cannot be written: {error.strerror}") from error


def fail(problem: Usage, code: int = 2) -> int:
    """Say on standard error why the job could not be done; the exit code."""
    from ..reports.plain import line_start, plain

    first, *more = str(problem).split("\n")
    print("\n".join([f"xfcheck: {plain(first)}", *(line_start(plain(line)) for line in more)]), file=sys.stderr)
    return code
