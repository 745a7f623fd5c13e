"""The search for model configs in a tree of folders, by content."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from xfcheck.documents import limits
from xfcheck.documents.read import Unreadable, posix, read_bytes, read_document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from xfcheck.documents.document import Document

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


def candidates(root: str | Path) -> Iterator[str]:
    """Paths under `root` whose names a model config may have, as `find_configs` visits them; nothing is read."""
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
                    elif may_hold_config(entry.name) and entry.is_file():
                        files.append(entry.name)
        except OSError:
            continue
        base = "" if directory == "/" else directory
        yield from (f"{base}/{name}" for name in sorted(files))
        if depth < limits.TREE_DEPTH:
            kept = (name for name in sorted(folders, reverse=True) if not skipped(name))
            todo.extend((f"{base}/{name}", depth + 1) for name in kept)


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
    except Unreadable:
        return None
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
