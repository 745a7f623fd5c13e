"""The search for model configs in a tree of folders, by content."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from xfcheck.documents import limits
from xfcheck.documents.document import Document
from xfcheck.documents.read import Unreadable, posix, read_bytes, read_document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


def find_configs(root: str | Path) -> Iterator[str]:
    """Paths of the model configs under `root`, in sorted order, told by content: `model_type`, `architectures`, or a model description.

    Hidden folders, virtual environments and node_modules are skipped, links to folders are not followed; a config.json that cannot be read
    but speaks of a model counts. At most ENTRIES directory entries are visited.
    """
    return (path for path in candidates(root) if is_config(path))


class Unread(NamedTuple):
    """A folder that a search could not look into, and why."""

    path: str
    why: str


def candidates(root: str | Path, unread: list[Unread] | None = None) -> Iterator[str]:
    """Paths under `root` whose names a model config may have, as `find_configs` visits them; no file is read.

    `unread` takes each folder that could not be looked into, and the root of a tree that is too large. Paths under `.` begin with no `./`.
    """
    todo: list[tuple[str, int]] = [(base_of(posix(root)), 0)]
    room = limits.ENTRIES
    faults: list[Unread] = [] if unread is None else unread
    while todo:
        base, depth = todo.pop()
        files, folders = [], []
        try:
            with os.scandir(base or ".") as entries:
                for entry in entries:
                    room -= 1
                    if room < 0:
                        faults.append(Unread(posix(root), f"more than {limits.ENTRIES:,} entries, the rest was not looked at"))
                        return
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif may_hold_config(entry.name) and entry.is_file():
                        files.append(entry.name)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):  # one that went away meanwhile hides nothing
                faults.append(Unread(base or ".", not_entered(error)))
            continue
        yield from (below(base, name) for name in sorted(files))
        kept = [name for name in sorted(folders, reverse=True) if not skipped(name)]
        if depth < limits.TREE_DEPTH:
            todo.extend((below(base, name), depth + 1) for name in kept)
        else:
            deep = f"more than {limits.TREE_DEPTH} folders deep, not looked into"
            faults += [Unread(below(base, name), deep) for name in reversed(kept)]


def base_of(folder: str) -> str:
    """What paths below a folder begin with: nothing below the working directory, however it is written."""
    while folder.startswith("./"):
        folder = folder[2:].lstrip("/")
    return "" if folder in ("", ".") else folder.rstrip("/") or "/"


def below(base: str, name: str) -> str:
    """The path of a name in a folder (`base_of`)."""
    return f"{base}{name}" if base in ("", "/") else f"{base}/{name}"


def not_entered(error: OSError) -> str:
    """Why a folder could not be looked into."""
    return "no permission to read this folder" if isinstance(error, PermissionError) else f"this folder cannot be read: {error.strerror}"


def holds_folders(folder: str) -> bool:
    """Whether a search would enter any folder in this one; true where that cannot be told."""
    try:
        with os.scandir(folder or ".") as entries:
            return any(entry.is_dir(follow_symlinks=False) and not skipped(entry.name) for entry in entries)
    except OSError:
        return True


def is_config(path: str) -> bool:
    """Whether the file at `path` holds a model config, by its content."""
    return config_in(path) is not None


def may_hold_config(name: str) -> bool:
    """Whether a file of this name is looked into at all."""
    return name.endswith(_CONFIG_SUFFIXES) and name not in _NO_CONFIG and not name.endswith(".index.json") and not name.startswith(".")


def skipped(folder: str) -> bool:
    """Whether a search does not enter folders of this name."""
    return folder.startswith(".") or folder in _SKIPPED


def config_in(path: str) -> Document | None:
    """The file at `path` as read, None where it holds no model config."""
    name = path.rpartition("/")[2]
    if not may_hold_config(name):
        return None
    format = "json" if name.endswith(".json") else name.rpartition(".")[2].replace("yml", "yaml")
    try:
        raw = read_bytes(path, limits.byte_limit(name, format))
    except Unreadable as failure:
        # what it holds is not known; by this name it is a config
        fault = failure.__cause__
        unread = name == "config.json" and isinstance(fault, OSError) and not isinstance(fault, FileNotFoundError)
        return Document(path, format, "", None, [failure.problem]) if unread else None
    # data sets are JSON too: what never speaks of a model is not parsed
    if not any(mark in raw for mark in _MARKS):
        return None
    document = read_document(path, text=raw)
    if document.data is None:
        return document if name == "config.json" else None
    return document if isinstance(document.data, dict) and describes_model(document.data) else None


def describes_model(data: dict[str, Any]) -> bool:
    """Whether an object is a Hugging Face config (model_type or architectures) or a model description of this tool."""
    if isinstance(data.get("model_type"), str) or (isinstance(data.get("architectures"), list) and bool(data["architectures"])):
        return True
    return {"embedding", "stacks", "head"} <= data.keys()
