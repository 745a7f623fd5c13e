"""What a search could not look into is said, with exit code 2, and the rest is answered; every command searches the same files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import xfcheck
from xfcheck.cli.collect import Search
from xfcheck.documents import git, limits
from xfcheck.documents.search import Unread, candidates, config_in
from xfcheck.settings.discovery import Finder

if TYPE_CHECKING:
    from collections.abc import Iterator

LLAMA: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16",
}  # fmt: skip
TREE_COMMANDS = ("lint", "inspect", "budget", "tensors", "shapes", "resolve")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """xfcheck in a folder."""
    return subprocess.run([sys.executable, "-m", "xfcheck", *arguments], cwd=folder, capture_output=True, text=True, check=False)


def laid(*folders: Path) -> None:
    """A config in each folder."""
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(LLAMA))


def paths(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Paths of JSON lines, errors left out."""
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [row["path"] for row in rows if "error" not in row]


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A tree with a good config and a folder that nobody can look into, root neither: its path is longer than the system takes."""
    laid(tmp_path / "good")
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        for _ in range(22):
            Path("d" * 200).mkdir()
            os.chdir("d" * 200)
    finally:
        os.chdir(here)
    yield tmp_path
    subprocess.run(["rm", "-rf", str(tmp_path / ("d" * 200))], check=True)


@pytest.mark.parametrize("command", TREE_COMMANDS)
def test_a_folder_that_cannot_be_read_is_said(command: str, closed: Path) -> None:
    done = run(closed, command, ".", *([] if command != "lint" else ["--format", "concise"]))
    assert done.returncode == 2
    assert "this folder cannot be read: File name too long" in done.stderr
    assert "Traceback" not in done.stderr
    rows = run(closed, command, ".", "--format", "jsonl")
    assert (rows.returncode, paths(rows)) == (2, ["good/config.json"]), "the others are still answered"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("repository", [False, True])
def test_without_permission(repository: bool, tmp_path: Path) -> None:
    laid(tmp_path / "good", tmp_path / "shut")
    if repository:
        subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    (tmp_path / "shut").chmod(0)
    try:
        for command in TREE_COMMANDS:
            done = run(tmp_path, command, ".")
            assert done.returncode == 2
            assert "shut: no permission to read this folder" in done.stderr
    finally:
        (tmp_path / "shut").chmod(0o755)


def _refuse(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Have the system refuse these folders, and files in them, as it does to a user without rights."""
    scandir, stat = os.scandir, os.stat

    def shut(path: Any) -> bool:
        return isinstance(path, str) and any(f"/{name}" in f"/{path}" for name in names)

    def scan(path: Any = ".") -> Any:
        if shut(path):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    def state(path: Any, *more: Any, **how: Any) -> os.stat_result:
        if shut(path) and "/" in path.partition("shut")[2]:
            raise PermissionError(13, "Permission denied", path)
        return stat(path, *more, **how)

    monkeypatch.setattr(os, "scandir", scan)
    monkeypatch.setattr(os, "stat", state)


def test_the_walk_and_git_name_the_same_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid(tmp_path / "good", tmp_path / "shut", tmp_path / "shut_too" / "x")
    monkeypatch.chdir(tmp_path)
    _refuse(monkeypatch, "shut", "shut_too")
    why = "no permission to read this folder"
    unread: list[Unread] = []
    assert list(candidates(".", unread)) == ["good/config.json"]
    assert unread == [Unread("shut", why), Unread("shut_too", why)]
    # of a folder that git holds it lists the files, of another it warns
    answer = subprocess.CompletedProcess(
        [], 0, b"good/config.json\0shut/config.json\0", b"warning: could not open directory 'shut_too/': Permission denied\n"
    )
    monkeypatch.setattr(git, "work_tree", lambda _: True)
    monkeypatch.setattr(git, "_done", lambda *_: answer)
    found = list(Search(Finder()).below("."))
    assert [f.path for f in found] == ["good/config.json", "shut", "shut_too"]
    assert found[1:] == [Unread("shut", why), Unread("shut_too", why)]


def test_a_tree_that_is_not_searched_to_its_end_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid(tmp_path / "a", tmp_path / "b")
    monkeypatch.setattr(limits, "ENTRIES", 3)
    unread: list[Unread] = []
    assert len(list(candidates(tmp_path, unread))) == 1
    assert unread == [Unread(str(tmp_path), "more than 3 entries, the rest was not looked at")]
    monkeypatch.setattr(limits, "ENTRIES", 100)
    monkeypatch.setattr(limits, "TREE_DEPTH", 0)
    unread.clear()
    assert list(candidates(tmp_path, unread)) == []
    assert [each.path for each in unread] == [str(tmp_path / "a"), str(tmp_path / "b")]


def test_a_config_json_that_cannot_be_read_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid(tmp_path)
    path = str(tmp_path / "config.json")
    really = os.open
    monkeypatch.setattr(
        os, "open", lambda at, *more, **how: (_ for _ in ()).throw(PermissionError(13, "no")) if at == path else really(at, *more, **how)
    )
    document = config_in(path)
    assert document is not None
    assert [problem.message for problem in document.problems] == ["no permission to read it"]


@pytest.mark.parametrize("repository", [False, True])
def test_every_command_searches_the_same_files(repository: bool, tmp_path: Path) -> None:
    laid(tmp_path, tmp_path / "below", tmp_path / "left" / "out", tmp_path / ".hidden")
    (tmp_path / "other.json").write_text(json.dumps(LLAMA))
    (tmp_path / "xfcheck.toml").write_text('exclude = ["left/**"]\n')
    if repository:
        subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    for command in TREE_COMMANDS:
        assert paths(run(tmp_path, command, ".", "--format", "jsonl")) == [".", "below/config.json"], command
        assert paths(run(tmp_path, command, "./below/..", "--format", "jsonl")) == ["./below/..", "below/../below/config.json"], command
        assert paths(run(tmp_path, command, "./below", "--format", "jsonl")) == ["./below"], command
    # two paths of a comparison are two models, whatever lies below them
    done = run(tmp_path, "compare", ".", "below", "--format", "json")
    assert [v["name"] for v in json.loads(done.stdout)["results"][0]["variants"]] == [".", "below"]


def test_the_same_fault_raises_the_same_error(tmp_path: Path) -> None:
    for call in (xfcheck.lint, xfcheck.account):
        with pytest.raises(xfcheck.Usage, match="no model config in this folder"):
            call(tmp_path)
