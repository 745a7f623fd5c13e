"""From the paths of a command line to the files that are looked at."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from ..documents.folder import ModelFolder, is_directory, open_model
from ..documents.search import (
    SETTINGS_FILE,
    SIDE_FILES,
    Unread,
    base_of,
    below,
    candidates,
    config_in,
    holds_folders,
    may_hold_config,
    not_entered,
    skipped,
)
from ..problems import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..settings.discovery import Finder


class Candidate(NamedTuple):
    """A path to look at. `certain`: it was named, so it is opened whatever it holds; else it counts if it holds a model config.

    `root` is the path of the command line it came from.
    """

    path: str
    root: str
    certain: bool

    def open(self) -> ModelFolder | None:
        """The model there; None for a file that holds no model config."""
        if self.certain:
            return open_model(self.path)
        document = config_in(self.path)
        return (
            None
            if document is None
            else ModelFolder(self.path, self.path.rpartition("/")[0] or ("/" if self.path[:1] == "/" else ""), document)
        )


class Search(NamedTuple):
    """How paths become candidates.

    `exclude` are patterns relative to the working directory, beside those of the settings; `force_exclude` applies them to named files too;
    `configs_only`: a named file that holds no model config is passed over, and one beside a config stands for it; `since`: a revision.
    """

    finder: Finder
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    configs_only: bool = False
    since: str | None = None

    def candidates(self, paths: list[str]) -> Iterator[Candidate | Usage]:
        """Each candidate once, in the order of the paths; a Usage for a path that is not there."""
        changed = _changed(paths, self.since) if self.since is not None else None
        seen: set[str] = set()
        for path in paths:
            if path != "-" and not os.path.lexists(path):
                from .answers import missing

                yield missing(path)
                continue
            for candidate in self.below(path):
                if isinstance(candidate, Unread):
                    yield Usage(f"{candidate.path}: {candidate.why}")
                    continue
                key = candidate.path if candidate.path == "-" else os.path.abspath(candidate.path)  # noqa: PTH100
                if key not in seen and (changed is None or _touched(candidate.path, changed)):
                    seen.add(key)
                    yield candidate

    def below(self, path: str) -> Iterator[Candidate | Unread]:
        """What a path that is there stands for: itself, and of a folder what is found in it; folders that cannot be read last."""
        if not is_directory(path):
            if self.force_exclude and self._excluded(path):
                return
            if not self.configs_only or path == "-":
                yield Candidate(path, path, certain=True)
                return
            name, config = os.path.basename(path), f"{path.rpartition('/')[0] or '.'}/config.json"  # noqa: PTH119
            beside = name == SETTINGS_FILE or name in SIDE_FILES or name.endswith((".index.json", ".safetensors"))
            yield Candidate(os.path.normpath(config) if beside else path, path, certain=False)
            return
        inside = f"{path.rstrip('/')}/config.json"
        model = os.path.lexists(inside)
        if model and not (self.force_exclude and self._excluded(inside)):
            yield Candidate(path, path, certain=True)
        if model and not holds_folders(path):
            return
        base, unread = base_of(path), list[Unread]()
        for found in files(path, unread):
            # beside its config.json a model's folder holds no other model, below it may
            if not (model and found.rpartition("/")[0] == base.rstrip("/")) and not self._excluded(found):
                yield Candidate(found, path, certain=False)
        yield from unread

    def _excluded(self, path: str) -> bool:
        settings = self.finder.at(path.rpartition("/")[0] or ("/" if path[:1] == "/" else "."))
        return _fits(self.exclude, path, os.getcwd()) or _fits(settings.exclude, path, settings.folder)  # noqa: PTH109


def _fits(patterns: tuple[str, ...], path: str, folder: str) -> bool:
    if not patterns:
        return False
    from ..settings.patterns import compiled

    inner = os.path.relpath(path, folder).replace(os.sep, "/")
    return any(compiled(pattern).fullmatch(inner) for pattern in patterns)


def files(folder: str, unread: list[Unread]) -> Iterator[str]:
    """Files below a folder whose names a config may have: those git lists in a work tree, else all but in folders that are skipped.

    `unread` takes each folder that could not be looked into.
    """
    from ..documents import git

    listed = git.listed(folder) if git.work_tree(folder) else None
    if listed is None:
        yield from candidates(folder, unread)
        return
    names, closed = listed
    base = base_of(folder)
    shut = {below(base, name): "no permission to read this folder" for name in closed if not any(map(skipped, name.split("/")))}
    for name in sorted(names, key=lambda name: [(i < name.count("/"), part) for i, part in enumerate(name.split("/"))]):
        *folders, last = name.split("/")
        path = below(base, name)
        if not may_hold_config(last) or any(map(skipped, folders)):
            continue
        try:
            regular = stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116  pathlib costs start-up time
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            shut[path.rpartition("/")[0] or "."] = not_entered(error)
            continue
        if regular:
            yield path
    unread += [Unread(*each) for each in sorted(shut.items())]


def _changed(paths: list[str], revision: str) -> set[str]:
    from ..documents import git

    out: set[str] = set()
    known: set[str] = set()
    for path in paths:
        folder = path if is_directory(path) else os.path.dirname(path) or "."  # noqa: PTH120
        if folder not in known and os.path.lexists(folder):
            known.add(folder)
            out |= git.changed(folder, revision)
    return out


def _touched(path: str, changed: set[str]) -> bool:
    """Whether the config, or a file beside it that rules read, is among the changed."""
    real = os.path.realpath(path)
    folder = real if is_directory(real) else os.path.dirname(real)  # noqa: PTH120
    if real in changed or (folder == real and f"{real}/config.json" in changed):
        return True
    if any(f"{folder}/{name}" in changed for name in (SETTINGS_FILE, *SIDE_FILES)):
        return True
    return any(name.endswith((".index.json", ".safetensors")) and name.rpartition("/")[0] == folder for name in changed)
