"""A model as it lies on disk: its config, the files beside it, the checkpoint.

Everything beside the config is read only when asked for, and once.
"""

from __future__ import annotations

import functools
import os
import time
from typing import TYPE_CHECKING, Any, cast

from xfcheck.documents import limits
from xfcheck.documents.document import Document, Problem
from xfcheck.documents.read import posix, read_document
from xfcheck.documents.search import SETTINGS_FILE, SIDE_FILES, find_configs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from xfcheck.documents.safetensors import Header, Index
    from xfcheck.documents.xfcheck_yaml import Settings

__all__ = ["SETTINGS_FILE", "SIDE_FILES", "ModelFolder", "find_configs", "is_directory", "open_model"]


class _AbsentSection:
    """A section of settings that are not there: every key answers None, and it is false."""

    def __getattr__(self, name: str) -> None:
        if name.startswith(("_", "model_")):
            raise AttributeError(name)

    def __bool__(self) -> bool:
        return False


class _AbsentSettings:
    """Stands for the Settings of a model without xfcheck.yaml, so that pydantic is not imported for it."""

    train = deploy = kernel = _AbsentSection()

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """No settings."""
        return {}


class ModelFolder:
    """A config and what lies beside it.

    `path` is the one the user gave, `directory` the folder of the side files (None for standard input), `config` the config's Document,
    or None where a folder has no config.json.
    """

    def __init__(self, path: str, directory: str | None, config: Document | None) -> None:
        self.path = path
        self.directory = directory
        self.config = config
        self._sides: dict[str, Document | None] = {}
        self._settings: tuple[Settings, list[Problem]] | None = None
        self._index: tuple[Index | None] | None = None
        self._overridden = False
        self._header_problems: dict[str, list[Problem]] = {}

    def __repr__(self) -> str:
        return f"ModelFolder({self.path!r})"

    def side(self, name: str) -> Document | None:
        """The file of this name beside the config, None where there is none; templates (.jinja) are read as text.

        Raises ValueError for a name with a folder in it.
        """
        if name not in self._sides:
            if not name or set(name) & set("/\\\0"):
                raise ValueError(f"not a plain file name: {name!r}")
            path = self._beside(name)
            self._sides[name] = read_document(path) if path is not None and os.path.lexists(path) else None
        return self._sides[name]

    def _beside(self, name: str) -> str | None:
        if self.directory is None:
            return None
        return f"{self.directory}/{name}" if self.directory not in ("", "/") else f"{self.directory}{name}"

    @property
    def xfcheck(self) -> Settings:
        """The settings of `xfcheck.yaml` beside the config; every key None where there is no such file."""
        return self._load_settings()[0]

    @property
    def xfcheck_problems(self) -> list[Problem]:
        """What is wrong with `xfcheck.yaml`: as a file (XF901) and in its keys (XF905)."""
        return self._load_settings()[1]

    def override(self, assignment: str) -> None:
        """Set one key of `xfcheck.yaml` for this run (`deploy.tensor_parallel=8`).

        Raises Usage for a key or a value that it does not take.
        """
        from xfcheck.documents.xfcheck_yaml import override
        from xfcheck.problems import Usage

        settings, problems = self._load_settings()
        try:
            changed = override(settings, assignment)
        except ValueError as error:
            raise Usage(f"--set {assignment}: {error}") from error
        self._settings = changed, problems
        self._overridden = True

    def _load_settings(self) -> tuple[Settings, list[Problem]]:
        if self._settings is None:
            document = self.side(SETTINGS_FILE)
            if document is None:
                self._settings = cast("Settings", _AbsentSettings()), []
            else:
                from xfcheck.documents.xfcheck_yaml import load

                settings, problems = load(document)
                self._settings = settings, document.problems + problems
        return self._settings

    @functools.cached_property
    def _names(self) -> tuple[str, ...]:
        if self.directory is None:
            return ()
        try:
            changed = os.stat(self.directory or ".").st_mtime_ns  # noqa: PTH116
            # clocks of file systems are coarse: a folder changed just now may change again under the same time
            settled = time.time_ns() - changed > 2_000_000_000
            return (_listing if settled else _listing.__wrapped__)(self.directory or ".", changed)
        except (OSError, ValueError):
            return ()

    def beside(self) -> list[str]:
        """Names of what lies in the config's folder, sorted, and xfcheck.yaml where `override` set a key; empty for standard input."""
        names = list(self._names)
        return [*names, SETTINGS_FILE] if self._overridden and SETTINGS_FILE not in names else names

    @property
    def shards(self) -> list[str]:
        """Paths of the `*.safetensors` files beside the config, sorted."""
        return [str(self._beside(name)) for name in self._names if name.endswith(".safetensors")]

    @property
    def index_path(self) -> str | None:
        """Path of the checkpoint's index: `model.safetensors.index.json`, else the first `*.safetensors.index.json`."""
        names = [name for name in self._names if name.endswith(".safetensors.index.json")]
        if not names:
            return None
        usual = "model.safetensors.index.json"
        return self._beside(usual if usual in names else names[0])

    @property
    def index(self) -> Index | None:
        """The checkpoint's index, None where there is none."""
        if self._index is None:
            from xfcheck.documents.safetensors import read_index

            path = self.index_path
            self._index = (read_index(path) if path is not None else None,)
        return self._index[0]

    def headers(self) -> Iterator[Header]:
        """The headers of the `*.safetensors` files beside the config, one by one, read when asked for and not kept."""
        from xfcheck.documents.safetensors import read_header

        for path in self.shards:
            header = read_header(path)
            self._header_problems[path.rpartition("/")[2]] = header.problems
            yield header

    def note_problems(self, name: str, problems: list[Problem]) -> None:
        """Have `problems_beside` give the problems of a file that was read by other means."""
        self._header_problems[name] = problems

    def problems_beside(self) -> list[tuple[str, Problem]]:
        """(file name, problem) of each file beside the config that was asked for so far and is there; xfcheck.yaml has its own."""
        files = {name: document.problems for name, document in self._sides.items() if document is not None and name != SETTINGS_FILE}
        if self._index is not None and self._index[0] is not None:
            files[self._index[0].path.rpartition("/")[2]] = self._index[0].problems
        files.update(self._header_problems)
        return [(name, problem) for name, problems in sorted(files.items()) for problem in problems]


@functools.lru_cache(maxsize=4)
def _listing(directory: str, changed: int) -> tuple[str, ...]:
    """Names in a folder that last changed at that time: of many configs in one folder only the first pays for the listing."""
    del changed
    with os.scandir(directory) as entries:
        return tuple(sorted(entry.name for entry, _ in zip(entries, range(limits.ENTRIES), strict=False)))


def open_model(path: str | Path) -> ModelFolder:
    """Open a config file, a model directory, or "-" (standard input).

    Nothing is raised: a path that is not there gives a config whose `problems` say so. A config that is no object has `data` None.
    """
    name = posix(path)
    if name == "-":
        return ModelFolder(name, None, _config(name))
    if is_directory(name):
        directory = name.rstrip("/") or "/"
        inside = f"{name.rstrip('/')}/config.json"
        return ModelFolder(name, directory, _config(inside) if os.path.lexists(inside) else None)
    return ModelFolder(name, name.rpartition("/")[0] or ("/" if name.startswith("/") else ""), _config(name))


def is_directory(path: str) -> bool:
    """Whether there is a folder at `path`; False for a path that cannot be one."""
    try:
        return os.path.isdir(path)  # noqa: PTH112
    except ValueError:
        return False


def _config(path: str) -> Document:
    document = read_document(path)
    if document.data is not None and not isinstance(document.data, dict):
        script = document.path.endswith((".py", ".sh"))
        what = "an array" if isinstance(document.data, list) else "a script, which lint reads as a recipe" if script else "a single value"
        line, column = document.locate("") or (1, 1)
        document.problems.append(Problem(f"a config is an object, this is {what}", "", line, column))
        document.data = None
    elif document.data is None and not document.problems:
        document.problems.append(Problem("the file holds no value", "", 1, 1))
    return document
