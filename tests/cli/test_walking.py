"""A repository of 2,000 mixed files, linted in one run: the right set is found, in one order, and git's ignores hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

LLAMA: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16",
}  # fmt: skip
YAML = "".join(f"{key}: {json.dumps(value)}\n" for key, value in LLAMA.items())
OTHERS = {
    "package.json": '{"name": "model_type", "version": "1"}', "tsconfig.json": "{}", "data.json": json.dumps([{"text": "no config"}] * 20),
    "notes.md": "model_type: llama", "pipeline.yaml": "steps: [a, b]\n",
    "tokenizer_config.json": '{"model_type": "llama"}',
    "generation_config.json": '{"max_length": 20}', "pyproject.toml": "[project]\nname = 'x'\n",
    "weights.bin": "\x00\x01", "broken.json": '{"a":',
    "app.py": "model_type = 'llama'", "schema.json": '{"properties": {"model_type": {"type": "string"}}}',
}  # fmt: skip


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """xfcheck lint in a folder."""
    return subprocess.run([sys.executable, "-m", "xfcheck", "lint", *arguments], cwd=folder, capture_output=True, text=True, check=False)


def paths(folder: Path, *arguments: str) -> list[str]:
    """The paths that are linted, in order."""
    done = run(folder, *arguments, "--format", "jsonl")
    assert "Traceback" not in done.stderr
    return [os.path.normpath(json.loads(line)["path"]) for line in done.stdout.splitlines()]


def git(folder: Path, *arguments: str) -> None:
    """A git command that depends on nobody's settings."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The tree, and the paths of its configs."""
    root = tmp_path_factory.mktemp("repository")
    wanted = []
    for i in range(150):
        folder = root / f"group{i % 10}" / f"item{i:03}"
        folder.mkdir(parents=True)
        for name, text in OTHERS.items():
            (folder / name).write_text(text)
        kind = i % 5
        if kind == 0:
            name, text = "config.json", json.dumps(LLAMA)
        elif kind == 1:
            name, text = "model.yaml", YAML
        elif kind == 2:
            name, text = "tiny-llama.json", json.dumps(LLAMA, indent=1)
        elif kind == 3:
            name, text = "config.json", '{"model_type": "llama", '
        else:
            name, text = "config.json", '{"debug": true, "port": 80}'
        (folder / name).write_text(text)
        if kind != 4:
            wanted.append(str((folder / name).relative_to(root)))
    for hidden in (".cache/x", "node_modules/y", "venv/z", "ignored/w"):
        (root / hidden).mkdir(parents=True)
        (root / hidden / "config.json").write_text(json.dumps(LLAMA))
    count = sum(len(files) for _, _, files in os.walk(root))
    for i in range(2000 - count):
        (root / f"group{i % 10}" / f"row{i}.json").write_text(json.dumps({"text": i}))
    assert sum(len(files) for _, _, files in os.walk(root)) == 2000
    return root, sorted(wanted)


def test_the_right_set_of_2000_files(repository: tuple[Path, list[str]]) -> None:
    root, wanted = repository
    plain = paths(root, ".")
    assert sorted(plain) == sorted([*wanted, "ignored/w/config.json"])
    assert paths(root, ".", "--exclude", "ignored") == [path for path in plain if not path.startswith("ignored")]
    git(root, "init", "-q", ".")
    (root / ".gitignore").write_text("ignored/\n")
    try:
        found = paths(root, ".")
        assert found == [path for path in plain if not path.startswith("ignored")], "the order is that of a walk"
        assert paths(root, ".", "--jobs", "2") == found
        assert paths(root / "group1", "..") == [f"../{path}" for path in found]
        assert paths(root, "group1", "group2", "group1") == [p for p in found if p.startswith("group1/")] + [
            p for p in found if p.startswith("group2/")
        ]
        assert paths(root, "ignored") == ["ignored/w/config.json"], "a folder that is named is looked at"
    finally:
        (root / ".gitignore").unlink()


def test_a_program_in_the_settings_of_a_repository_is_not_run(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", ".")
    (tmp_path / "config.json").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "config.json").write_text(json.dumps(LLAMA))
    (tmp_path / "evil.sh").write_text(f"#!/bin/sh\ntouch {tmp_path}/pwned\n")
    (tmp_path / "evil.sh").chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(tmp_path / "evil.sh"))
    git(tmp_path, "config", "diff.external", str(tmp_path / "evil.sh"))
    run(tmp_path, ".")
    run(tmp_path, ".", "--changed-since", "HEAD")
    assert not (tmp_path / "pwned").exists()


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A repository with a branch that changes some of three models."""
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(LLAMA))
    git(tmp_path, "init", "-q", "-b", "main", ".")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "checkout", "-qb", "branch")
    return tmp_path


def test_changed_since(history: Path) -> None:
    assert paths(history, ".", "--changed-since", "main") == []
    assert run(history, ".", "--changed-since", "main").returncode == 0
    (history / "one" / "config.json").write_text(json.dumps({**LLAMA, "num_key_value_heads": 3}))
    git(history, "commit", "-qam", "second")
    (history / "two" / "xfcheck.yaml").write_text("deploy: {tensor_parallel: 2}\n")
    (history / "four").mkdir()
    (history / "four" / "config.json").write_text(json.dumps(LLAMA))
    wanted = ["four/config.json", "one/config.json", "two/config.json"]
    assert paths(history, ".", "--changed-since", "main") == wanted
    assert paths(history / "one", "..", "--changed-since", "main") == [f"../{path}" for path in wanted]
    # what was changed on main meanwhile is none of the branch's
    git(history, "stash", "-qu")
    git(history, "checkout", "-q", "main")
    (history / "three" / "config.json").write_text(json.dumps({**LLAMA, "vocab_size": 97}))
    git(history, "commit", "-qam", "third")
    git(history, "checkout", "-q", "branch")
    assert paths(history, ".", "--changed-since", "main") == ["one/config.json"]


@pytest.mark.parametrize("revision", ["nowhere", "--output=x", ""])
def test_a_revision_that_is_none(revision: str, history: Path) -> None:
    done = run(history, ".", f"--changed-since={revision}")
    assert done.returncode == 2
    assert "--changed-since" in done.stderr
    assert not (history / "x").exists()


def test_named_files_and_what_hooks_name(tmp_path: Path) -> None:
    for name, text in {
        "a/config.json": json.dumps(LLAMA),
        "b/config.json": '{"port": 80}',
        "a/tokenizer_config.json": "{}",
        "c/tokenizer.json": "{}",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    named = ["a/tokenizer_config.json", "b/config.json", "c/tokenizer.json", "a/config.json"]
    assert paths(tmp_path, *named, "--configs-only") == ["a/config.json"]
    assert run(tmp_path, "b/config.json").returncode == 1
    (tmp_path / "xfcheck.toml").write_text('exclude = ["b"]')
    assert run(tmp_path, "b/config.json").returncode == 1
    assert paths(tmp_path, "a/config.json", "b/config.json", "--force-exclude") == ["a/config.json"]


def test_a_model_folder_and_what_lies_below_it(tmp_path: Path) -> None:
    for name in ("config.json", "variant.json", "checkpoint/config.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(LLAMA))
    assert paths(tmp_path, ".") == [".", "checkpoint/config.json"]
