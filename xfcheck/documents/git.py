"""What git knows of a folder: the files that are not ignored, and those changed since a revision.

Nothing of the repository's own configuration runs: `core.fsmonitor` and external diffs are switched off.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from xfcheck.problems import Usage

if TYPE_CHECKING:
    from subprocess import CompletedProcess

PATTERNS = ("*.json", "*.yaml", "*.yml", "*.toml")

_CLOSED = rb"(?m)^warning: could not open directory '(.*)': "
_LOCAL = frozenset(("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"))


def work_tree(folder: str) -> bool:
    """Whether a folder lies in a work tree, told by a `.git` in it or above it: no process is started for others."""
    at = os.path.abspath(folder)  # noqa: PTH100  pathlib costs start-up time
    while True:
        if os.path.lexists(f"{at}/.git"):
            return True
        parent = os.path.dirname(at)  # noqa: PTH120
        if parent == at:
            return False
        at = parent


def listed(folder: str) -> tuple[list[str], list[str]] | None:
    """(files below a folder that may be configs and are not ignored, tracked or not; folders git could not look into), relative to it.

    None where git does not answer. A folder that is itself ignored has its files nowhere in git: None.
    """
    done = _done(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", *PATTERNS)
    if done is None or done.returncode != 0:
        return None
    found = _names(done.stdout)
    if not found and _run(folder, "check-ignore", "-q", ".") is not None:
        return None
    return found, [os.fsdecode(name).rstrip("/") for name in re.findall(_CLOSED, done.stderr)]


def changed(folder: str, revision: str) -> set[str]:
    """Absolute paths, links resolved, of what differs from the point where the work tree left a revision, and of what is not tracked yet.

    Raises Usage where the folder is in no work tree, or git knows no such revision.
    """
    top = _run(folder, "rev-parse", "--show-toplevel")
    if top is None:
        raise Usage(f"--changed-since: {folder or '.'} is in no work tree of git")
    root = os.fsdecode(top.rstrip(b"\n"))
    commit = _run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if commit is None:
        raise Usage(f"--changed-since: git knows no revision {revision!r} here; a shallow clone may lack it")
    since = commit.decode().strip()
    base = _run(root, "merge-base", since, "HEAD")
    if base is not None:
        since = base.decode().strip()
    different = _run(root, "diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", since, "--")
    untracked = _run(root, "ls-files", "-z", "--others", "--exclude-standard")
    real = os.path.realpath(root)
    return {f"{real}/{name}" for raw in (different, untracked) if raw is not None for name in _names(raw)}


def _names(raw: bytes) -> list[str]:
    return [os.fsdecode(name) for name in raw.split(b"\0") if name]


def _run(folder: str, *arguments: str) -> bytes | None:
    """Standard output of git in a folder; None where it fails or is not there."""
    done = _done(folder, *arguments)
    return None if done is None or done.returncode != 0 else done.stdout


def _done(folder: str, *arguments: str) -> CompletedProcess[bytes] | None:
    import subprocess

    # a hook is run with the variables of its own repository, relative to another folder
    environment = {key: value for key, value in os.environ.items() if key not in _LOCAL} | {"LC_ALL": "C"}
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *arguments]
    try:
        return subprocess.run(command, cwd=folder or ".", env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError:
        return None
