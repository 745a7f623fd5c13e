"""A model as it lies on disk: its config, the files beside it, the checkpoint; and the search for configs in a tree.

Everything beside the config is read only when asked for, and once.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from xfcheck.documents import limits
from xfcheck.documents.document import Document, Problem
from xfcheck.documents.read import Unreadable, posix, read_bytes, read_document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from xfcheck.documents.safetensors import Header, Index
    from xfcheck.documents.xfcheck_yaml import Settings

SIDE_FILES = (
    "generation_config.json", "tokenizer_config.json", "tokenizer.json", "special_tokens_map.json", "added_tokens.json",
    "adapter_config.json", "hf_quant_config.json", "preprocessor_config.json", "chat_template.json", "chat_template.jinja",
)  # fmt: skip
SETTINGS_FILE = "xfcheck.yaml"
_OTHER_FILES = (SETTINGS_FILE, "package.json", "package-lock.json", "vocab.json", "processor_config.json", "model_index.json")
_NO_CONFIG = frozenset((*SIDE_FILES, *_OTHER_FILES))
_SKIPPED = frozenset(("node_modules", "__pycache__", "venv", "env", "site-packages", "dist-packages"))
_CONFIG_SUFFIXES = (".json", ".yaml", ".yml", ".toml")
_MARKS = (b"model_type", b"architectures", b"stacks")


class _AbsentSection:
    """A section of settings that are not there: every key answers None."""

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
        self._listing: list[str] | None = None
        self._settings: tuple[Settings, list[Problem]] | None = None
        self._index: tuple[Index | None] | None = None

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
        """Set one key of `xfcheck.yaml` for this run (`deploy.tensor_parallel=8`). Raises Usage for a key or a value that it does not take."""
        from xfcheck.documents.xfcheck_yaml import Settings, override
        from xfcheck.problems import Usage

        settings, problems = self._load_settings()
        try:
            changed = override(Settings() if isinstance(settings, _AbsentSettings) else settings, assignment)
        except ValueError as error:
            raise Usage(f"--set {assignment}: {error}") from error
        self._settings = changed, problems

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

    def _names(self) -> list[str]:
        if self._listing is None:
            self._listing = []
            if self.directory is not None:
                try:
                    with os.scandir(self.directory or ".") as entries:
                        names = [entry.name for entry, _ in zip(entries, range(limits.ENTRIES), strict=False)]
                    self._listing = sorted(names)
                except (OSError, ValueError):
                    pass
        return self._listing

    def beside(self) -> list[str]:
        """Names of what lies in the config's folder, sorted; empty for standard input."""
        return self._names()

    @property
    def shards(self) -> list[str]:
        """Paths of the `*.safetensors` files beside the config, sorted."""
        return [str(self._beside(name)) for name in self._names() if name.endswith(".safetensors")]

    @property
    def index_path(self) -> str | None:
        """Path of the checkpoint's index: `model.safetensors.index.json`, else the first `*.safetensors.index.json`."""
        names = [name for name in self._names() if name.endswith(".safetensors.index.json")]
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

        return (read_header(path) for path in self.shards)


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
        what = "an array" if isinstance(document.data, list) else "a single value"
        line, column = document.locate("") or (1, 1)
        document.problems.append(Problem(f"a config is an object, this is {what}", "", line, column))
        document.data = None
    elif document.data is None and not document.problems:
        document.problems.append(Problem("the file holds no value", "", 1, 1))
    return document


def find_configs(root: str | Path) -> Iterator[str]:
    """Paths of the model configs under `root`, in sorted order, told by content: `model_type`, `architectures`, or a model description.

    Hidden folders, virtual environments and node_modules are skipped, links to folders are not followed; a config.json that cannot be read
    but speaks of a model counts. At most ENTRIES directory entries are visited.
    """
    todo: list[tuple[str, int]] = [(posix(root).rstrip("/") or "/", 0)]
    room = limits.ENTRIES
    while todo:
        directory, depth = todo.pop()
        files, folders = [], []
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    room -= 1
                    if room < 0:
                        return
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif entry.name.endswith(_CONFIG_SUFFIXES) and entry.is_file():
                        files.append(entry.name)
        except OSError:
            continue
        base = "" if directory == "/" else directory
        yield from (f"{base}/{name}" for name in sorted(files) if is_config(f"{base}/{name}"))
        if depth < limits.TREE_DEPTH:
            kept = (name for name in sorted(folders, reverse=True) if not name.startswith(".") and name not in _SKIPPED)
            todo.extend((f"{base}/{name}", depth + 1) for name in kept)


def is_config(path: str) -> bool:
    """Whether the file at `path` holds a model config, by its content."""
    name = path.rpartition("/")[2]
    if name in _NO_CONFIG or name.endswith(".index.json") or name.startswith("."):
        return False
    format = "json" if name.endswith(".json") else name.rpartition(".")[2].replace("yml", "yaml")
    try:
        raw = read_bytes(path, limits.byte_limit(name, format))
    except Unreadable:
        return False
    # data sets are JSON too: what never speaks of a model is not parsed
    if not any(mark in raw for mark in _MARKS):
        return False
    data = read_document(path, text=raw).data
    if data is None:
        return name == "config.json"
    return isinstance(data, dict) and describes_model(data)


def describes_model(data: dict[str, Any]) -> bool:
    """Whether an object is a Hugging Face config (model_type or architectures) or a model description of this tool."""
    if isinstance(data.get("model_type"), str) or (isinstance(data.get("architectures"), list) and bool(data["architectures"])):
        return True
    return {"embedding", "stacks", "head"} <= data.keys()
