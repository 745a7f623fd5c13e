"""Finding the configuration of a folder, and reading it.

The nearest counts, from the config's own folder upwards: `xfcheck.toml`, or a `pyproject.toml` with a table `tool.xfcheck` (one without is
passed over).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ..problems import Usage

if TYPE_CHECKING:
    import re

    from ..documents.document import Document

FILES = ("xfcheck.toml", "pyproject.toml")


class PerFile(NamedTuple):
    """Codes that are not reported for the files of a pattern."""

    pattern: str
    fits: re.Pattern[str]
    codes: tuple[str, ...]
    reason: str


class Settings(NamedTuple):
    """A configuration as read. `file` is null where there is none; patterns are relative to `folder`; `lines`: (key given, its line)."""

    file: str | None = None
    folder: str = "."
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severities: tuple[tuple[str, str], ...] = ()
    per_file_ignores: tuple[PerFile, ...] = ()
    fail_on: str = "error"
    exclude: tuple[str, ...] = ()
    budget_assert: tuple[str, ...] = ()
    engine: str | None = None
    readers: tuple[str, ...] | None = None
    lines: tuple[tuple[str, int | None], ...] = ()


NONE = Settings()


class Finder:
    """Settings by folder, each file read once. A file given with `--config` stands for all of them."""

    def __init__(self, config: str | None = None, *, isolated: bool = False) -> None:
        self._known: dict[str, Settings] = {}
        self._fixed = NONE if isolated else None
        if config is not None:
            self._fixed = read(config, explicit=True)

    def beside(self, path: str) -> Settings:
        """The settings that count for a path: a config file, a folder, or "-", which lies in the working directory. Raises Usage."""
        return self.at(path if os.path.isdir(path) else os.path.dirname(path) or ".")  # noqa: PTH112, PTH120

    def at(self, folder: str) -> Settings:
        """The settings that count for the configs in a folder. Raises Usage where their file is wrong."""
        if self._fixed is not None:
            return self._fixed
        absolute = os.path.abspath(folder or ".")  # noqa: PTH100  pathlib costs start-up time
        passed = []
        while absolute not in self._known:
            passed.append(absolute)
            found = _in(absolute)
            parent = os.path.dirname(absolute)  # noqa: PTH120
            if found is not None or parent == absolute:
                self._known[absolute] = found or NONE
                break
            absolute = parent
        settings = self._known[absolute]
        self._known.update(dict.fromkeys(passed, settings))
        return settings


def _in(folder: str) -> Settings | None:
    for name in FILES:
        path = os.path.join(folder, name)  # noqa: PTH118
        if os.path.isfile(path):  # noqa: PTH113
            found = read(path)
            if found.file is not None:
                return found
    return None


def read(path: str, *, explicit: bool = False) -> Settings:
    """The settings of one file; NONE for a pyproject.toml without the table, which with `explicit` is refused. Raises Usage."""
    table = "/tool/xfcheck" if os.path.basename(path) == "pyproject.toml" else ""  # noqa: PTH119
    if table and not explicit:
        with open(path, "rb") as file:  # noqa: PTH123
            if b"xfcheck" not in file.read(1_000_000):
                return NONE
    from ..documents.document import resolve
    from ..documents.read import read_document

    document = read_document(path, format="toml")
    fault = next((p for p in document.problems if p.severity == "error"), None)
    if fault is not None:
        if table and not explicit:
            return NONE
        raise Usage(f"{path}{_at(fault.line, fault.column)}: XF901 {fault.message}")
    data = resolve(document.data, table, None)
    if data is None:
        if explicit:
            raise Usage(f"{path}: no table [tool.xfcheck]")
        return NONE
    return _checked(path, document, table, data)


def _at(line: int | None, column: int | None) -> str:
    return "" if line is None else f":{line}:{column}"


def _checked(path: str, document: Document, table: str, data: Any) -> Settings:
    from pydantic import ValidationError

    from .patterns import compiled
    from .schema import Configuration

    try:
        given = Configuration.model_validate(data)
    except ValidationError as error:
        raise _refused(path, document, table, error) from None
    keys = [key for key in data if key not in ("budget", "targets")]
    keys += [f"{outer}.{key}" for outer in ("budget", "targets") for key in data.get(outer, {})]
    lines = tuple((key, (document.locate(f"{table}/{key.replace('.', '/')}", key=True) or (None,))[0]) for key in keys)
    return Settings(
        path, os.path.dirname(os.path.abspath(path)),  # noqa: PTH100, PTH120
        None if given.select is None else _codes(path, given.select), _codes(path, given.extend_select), _codes(path, given.ignore),
        tuple((code, level) for key, level in given.severities.items() for code in _codes(path, [key])),
        tuple(PerFile(p, compiled(p), _codes(path, i.codes), i.reason) for p, i in given.per_file_ignores.items()),
        given.fail_on, tuple(given.exclude), tuple(given.budget.assert_), given.targets.engine,
        None if given.targets.readers is None else tuple(given.targets.readers), lines,
    )  # fmt: skip


def _codes(path: str, given: Any) -> tuple[str, ...]:
    from ..rules._registry import index
    from ..rules._selection import parse

    try:
        return parse(given, index())
    except Usage as problem:
        raise Usage(f"{path}: {problem}") from None


def _refused(path: str, document: Document, table: str, error: Any) -> Usage:
    """The first thing that is wrong, with its place and, for an unknown key, the nearest name."""
    first = error.errors(include_url=False)[0]
    steps = [str(step) for step in first["loc"]]
    line, column = document.locate(table + "".join(f"/{step}" for step in steps), key=True) or (None, None)
    name = ".".join(steps)
    if first["type"] == "extra_forbidden":
        return Usage(f"{path}{_at(line, column)}: XF905 unknown key {name!r}{_nearest(steps)}")
    if first["type"] == "missing":
        return Usage(f"{path}{_at(line, column)}: XF905 {name} is needed")
    return Usage(f"{path}{_at(line, column)}: XF905 {name}: {first['msg'][:1].lower()}{first['msg'][1:]}")


def _nearest(steps: list[str]) -> str:
    from difflib import get_close_matches

    from .schema import Budget, Configuration, PerFileIgnore, Table, Targets

    outer: dict[str, type[Table]] = {"budget": Budget, "targets": Targets, "per-file-ignores": PerFileIgnore}
    model: type[Table] = Configuration if len(steps) == 1 else outer.get(steps[0], Configuration)
    known = [field.alias or name for name, field in model.model_fields.items()]
    near = get_close_matches(steps[-1].replace("_", "-").lower(), known, 1)
    return f"; did you mean {near[0]}?" if near else f"; known here: {', '.join(known)}"
