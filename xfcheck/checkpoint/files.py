"""A checkpoint as its headers and index describe it."""

from __future__ import annotations

import os
import re
import weakref
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ..documents.folder import ModelFolder, is_directory
from ..documents.safetensors import DTYPE_BITS, read_header, read_index
from ..problems import Usage

if TYPE_CHECKING:
    from ..documents.document import Problem
    from ..documents.safetensors import Header

NOT_MODEL = ("adapter_model", "consolidated", "optimizer", "training_args", "rng_state", "scheduler")
"""Beginnings of the names of safetensors files that lie beside a model and are no part of it."""
_NUMBERED = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.safetensors")


class Tensor(NamedTuple):
    """A tensor of a checkpoint. `dtype` is the format's (BF16); it and `shape` are null where only an index is at hand."""

    dtype: str | None
    shape: tuple[int, ...] | None
    file: str

    @property
    def bytes(self) -> int | None:
        """Bytes of its data, null where they are not known."""
        if self.shape is None or self.dtype not in DTYPE_BITS:
            return None
        return prod(self.shape) * DTYPE_BITS[self.dtype] // 8


@dataclass(slots=True)
class Checkpoint:
    """Tensors by name, and the state of the files.

    `headers`: whether every tensor's dtype and shape are known. `missing_files` are named by the index (or by their own numbering) and not
    there, `extra_files` there and not named. `misplaced`: (name, file where the index puts it, file that holds it or null).
    `total_size` is the index's own sum in bytes. `unreadable` files have a header, or an index a map, of which nothing could be read.
    """

    path: str
    tensors: dict[str, Tensor] = field(default_factory=dict)
    headers: bool = False
    index: str | None = None
    total_size: int | None = None
    files: list[str] = field(default_factory=list)
    missing_files: list[str] = field(default_factory=list)
    extra_files: list[str] = field(default_factory=list)
    misplaced: list[tuple[str, str, str | None]] = field(default_factory=list)
    twice: list[tuple[str, str, str]] = field(default_factory=list)
    problems: list[tuple[str, Problem]] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    @property
    def bytes(self) -> int | None:
        """Bytes of all tensors, null where the headers are not at hand."""
        return sum(t.bytes or 0 for t in self.tensors.values()) if self.headers else None

    @property
    def faults(self) -> list[str]:
        """What a loader stumbles over before it compares a tensor: files that are not there, misplaced tensors, broken headers."""
        parts = (
            (len(self.missing_files), "files missing", self.missing_files),
            (len(self.misplaced), "tensors where the index does not put them", [name for name, _, _ in self.misplaced]),
        )
        said = [f"{count} {what}: {', '.join(names[:3])}" for count, what, names in parts if count]
        return said + [f"{file}: {p.message}" for file, p in self.problems if p.severity == "error"]


def open_checkpoint(path: str) -> Checkpoint:
    """The checkpoint in a folder, of an index, or in one safetensors file.

    Raises Usage where there is none, or where the header of one of its files (the map of its index) cannot be read.
    """
    found = _open(path)
    for name in found.unreadable:
        why = next((problem.message for file, problem in found.problems if file == name), "the file holds no value")
        folder = path.rstrip("/") if is_directory(path) else os.path.dirname(path)  # noqa: PTH120  pathlib costs start-up time
        raise Usage(f"{folder}/{name}: {why}" if folder else f"{name}: {why}")
    return found


def _open(path: str) -> Checkpoint:
    if not os.path.lexists(path):
        raise Usage(f"{path}: no such file or folder")
    if is_directory(path):
        found = checkpoint_in(path.rstrip("/") or "/")
        if found is None:
            raise Usage(f"{path}: no safetensors file and no index in this folder")
        return found
    folder = os.path.dirname(path)  # noqa: PTH120  pathlib costs start-up time
    if path.endswith(".index.json"):
        return _from_index(folder, path, _names(folder or "."))
    if path.endswith(".safetensors"):
        return _from_files(path, folder, [os.path.basename(path)])  # noqa: PTH119
    raise Usage(f"{path}: a folder, a .safetensors file or a .safetensors.index.json is needed")


_KEPT: weakref.WeakKeyDictionary[ModelFolder, Checkpoint | None] = weakref.WeakKeyDictionary()


def checkpoint_of(folder: ModelFolder) -> Checkpoint | None:
    """The checkpoint beside a config, read once a folder; null where there is none."""
    if folder not in _KEPT:
        found = _KEPT[folder] = None if folder.directory is None else checkpoint_in(folder.directory or ".")
        for file in {file for file, _ in found.problems} if found is not None else ():
            folder.note_problems(file, [p for f, p in found.problems if f == file])  # type: ignore[union-attr]
    return _KEPT[folder]


def checkpoint_in(folder: str) -> Checkpoint | None:
    """The checkpoint in a folder: that of its index, else model.safetensors, else every file that looks like a part of one."""
    names = _names(folder)
    index = "model.safetensors.index.json"
    if index not in names:
        index = next((n for n in names if n.endswith(".safetensors.index.json") and not n.startswith(NOT_MODEL)), "")
    if index:
        return _from_index(folder, f"{folder}/{index}", names)
    files = [n for n in names if n.endswith(".safetensors") and not n.startswith(NOT_MODEL)]
    if "model.safetensors" in files:
        files = ["model.safetensors"]
    return _from_files(folder, folder, files) if files else None


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return []


def _from_files(path: str, folder: str, files: list[str]) -> Checkpoint:
    out = Checkpoint(path, headers=True, files=files)
    for name in files:
        _take(out, f"{folder}/{name}" if folder else name, name)
    for stem, count in (
        {(m["stem"], m["count"]) for n in files if (m := _NUMBERED.fullmatch(n))} if len(files) > 1 or path == folder else ()
    ):
        expected = (f"{stem}-{number:05d}-of-{count}.safetensors" for number in range(1, min(int(count), 10_000) + 1))
        out.missing_files += [name for name in expected if name not in files]
    return out


def _take(out: Checkpoint, path: str, name: str) -> Header:
    header = read_header(path)
    out.problems += [(name, problem) for problem in header.problems]
    if header.unreadable:
        out.unreadable.append(name)
    for tensor, (dtype, shape) in header.tensors.items():
        if tensor in out.tensors:
            out.twice.append((tensor, out.tensors[tensor].file, name))
        out.tensors[tensor] = Tensor(dtype, shape, name)
    return header


def _from_index(folder: str, path: str, names: list[str]) -> Checkpoint:
    index = read_index(path)
    here = os.path.basename(path)  # noqa: PTH119
    size = index.metadata.get("total_size")
    out = Checkpoint(path, index=here, total_size=size if isinstance(size, int) and not isinstance(size, bool) else None)
    out.problems = [(here, problem) for problem in index.problems]
    if index.unreadable:
        out.unreadable.append(here)
    named = sorted(set(index.weight_map.values()))
    out.files = [name for name in named if name in names]
    if not out.files:
        # an index alone: names without shapes
        out.tensors = {name: Tensor(None, None, file) for name, file in index.weight_map.items()}
        return out
    out.missing_files = [name for name in named if name not in names]
    out.extra_files = [n for n in names if n.endswith(".safetensors") and n not in named and not n.startswith(NOT_MODEL)]
    for name in out.files:
        _take(out, f"{folder}/{name}" if folder else name, name)
    for tensor, file in index.weight_map.items():
        held = out.tensors.get(tensor)
        if held is None:
            if file in out.files:
                out.misplaced.append((tensor, file, None))
            out.tensors[tensor] = Tensor(None, None, file)
        elif held.file != file:
            out.misplaced.append((tensor, file, held.file))
    out.headers = all(t.shape is not None for t in out.tensors.values())
    return out
