"""A config as a revision of git has it (`main:models/config.json`): its bytes are read, nothing of the repository runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..documents import limits
from ..documents.folder import SETTINGS_FILE, SIDE_FILES, ModelFolder
from ..documents.read import read_document
from ..problems import Usage

if TYPE_CHECKING:
    from ..documents.document import Document

_LOCAL = frozenset(("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"))


class RevisionFolder(ModelFolder):
    """A config in a revision, with the small files that the revision has beside it. Checkpoints are not looked for."""

    def __init__(self, path: str, revision: str, name: str, config: Document) -> None:
        super().__init__(path, None, config)
        self._revision, self._name = revision, name

    def side(self, name: str) -> Document | None:
        """The file of this name beside the config in the revision."""
        if name not in self._sides:
            beside = f"{self._name.rpartition('/')[0]}/{name}" if "/" in self._name else name
            known = name == SETTINGS_FILE or name in SIDE_FILES
            self._sides[name] = _document(self._revision, beside, name) if known else None
        return self._sides[name]

    def beside(self) -> list[str]:
        """Names of those files that are there."""
        return [name for name in (SETTINGS_FILE, *SIDE_FILES) if self.side(name) is not None]


def names_revision(path: str) -> bool:
    """Whether a path is `REVISION:PATH`: no file of that name is there, and the part before the colon is no scheme of this tool."""
    revision, colon, inner = path.partition(":")
    return bool(colon and revision and inner) and revision != "hf" and not os.path.lexists(path) and len(revision) > 1


def open_revision(path: str) -> ModelFolder:
    """The config (or the folder's config.json) in the revision. Raises Usage where git knows no such revision or path, or is not there."""
    revision, _, inner = path.partition(":")
    inner = inner.replace(os.sep, "/").rstrip("/")
    if revision.startswith("-"):
        raise Usage(f"{path}: {revision!r} is no revision")
    if _git(inner, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}") is None:
        raise Usage(f"{path}: no such file, and git knows no revision {revision!r} here")
    for name in (inner, f"{inner}/config.json"):
        document = _document(revision, name, path)
        if document is not None:
            return RevisionFolder(path, revision, name, document)
    raise Usage(f"{path}: revision {revision!r} has no file {inner!r}")


def _document(revision: str, name: str, shown: str) -> Document | None:
    """A file of a revision as a document named `shown`, null where the revision has no such file."""
    spec = f"{revision}:{_inside(name)}"
    size = _git(name, "cat-file", "-s", spec)
    if size is None or _git(name, "cat-file", "-t", spec) != b"blob\n":
        return None
    if int(size) > limits.byte_limit(name, "json"):
        raise Usage(f"{shown}: {int(size):,} bytes, larger than any config that is read")
    raw = _git(name, "cat-file", "blob", spec)
    suffix = name.rpartition(".")[2].lower()
    kind = {"json": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml"}.get(suffix, "text" if "jinja" in suffix else None)
    return None if raw is None else read_document(shown, text=raw, format=kind)


def _inside(name: str) -> str:
    """The path as git takes it from the folder that the process is started in."""
    return f"./{os.path.basename(name)}" if os.path.isdir(os.path.dirname(name) or ".") else f"./{name}"  # noqa: PTH112, PTH119, PTH120


def _git(name: str, *arguments: str) -> bytes | None:
    """Standard output of git, started in the folder of the path where that is there."""
    import subprocess

    folder = os.path.dirname(name) or "."  # noqa: PTH120
    environment = {key: value for key, value in os.environ.items() if key not in _LOCAL}
    try:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", *arguments],
            cwd=folder if os.path.isdir(folder) else ".",  # noqa: PTH112
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False,
        )  # fmt: skip
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
