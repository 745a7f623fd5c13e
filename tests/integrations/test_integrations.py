"""The hook, the action and the GitLab template: each by running the command line that it holds."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GOOD: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16",
}  # fmt: skip
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
ENVIRONMENT.pop("GITHUB_STEP_SUMMARY", None)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A good config, a bad one, and files that are no configs."""
    files = {
        "good/config.json": GOOD, "bad one/config.json": {**GOOD, "num_key_value_heads": 3}, "package.json": {"name": "x"},
        "app/config.json": {"port": 1},
        "good/tokenizer_config.json": {},
    }  # fmt: skip
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(data))
    return tmp_path


def bash(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A script as the runners run it: bash that stops at the first error."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env={**ENVIRONMENT, **variables}, capture_output=True, text=True, check=False)


HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.mark.parametrize("hook", HOOKS, ids=lambda h: h["id"])
def test_hooks(hook: dict[str, Any], repository: Path) -> None:
    def hooked(*names: str) -> int:
        return subprocess.run(
            [*shlex.split(hook["entry"]), *names], cwd=repository, env=ENVIRONMENT, capture_output=True, check=False
        ).returncode

    assert hook["language"] == "python"
    assert hooked("package.json", "app/config.json", "good/config.json", "good/tokenizer_config.json") == 0
    assert hooked("bad one/config.json", "good/config.json") == 1
    (repository / "xfcheck.toml").write_text('exclude = ["bad one"]')
    assert hooked("bad one/config.json", "good/config.json") == 0


ACTION = yaml.safe_load((ROOT / "action.yml").read_text())


def action_inputs(**given: str) -> dict[str, str]:
    """The variables of the step that lints, with these inputs."""
    values = {key: str(each.get("default", "")) for key, each in ACTION["inputs"].items()} | {
        k.replace("_", "-"): v for k, v in given.items()
    }
    step = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "lint")
    out = {}
    for name, expression in step["env"].items():
        key = expression.removeprefix("${{ inputs.").removesuffix(" }}")
        out[name] = values[key]
    return out


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, 1),
        ({"paths": "good"}, 0),
        ({"paths": "good\nbad one\n"}, 1),
        ({"fail_on": "never"}, 0),
        ({"args": "--select=XF5\n--quiet"}, 0),
        ({"paths": "nowhere"}, 2),
        ({"paths": "$(touch pwned)\n`touch pwned`"}, 2),
        ({"args": "; touch pwned"}, 2),
    ],
)
def test_action(given: dict[str, str], code: int, repository: Path) -> None:
    step = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "lint")
    assert "${{" not in step["run"]
    output, summary = repository / "output.txt", repository / "summary.md"
    done = bash(step["run"], repository, **action_inputs(**given), GITHUB_OUTPUT=str(output), GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 0, done.stderr
    assert output.read_text() == f"exit-code={code}\n"
    assert not (repository / "pwned").exists()
    if code != 2:
        assert json.loads((repository / "xfcheck.sarif").read_text())["version"] == "2.1.0"
        assert "### xfcheck" in summary.read_text()
    if code == 1:
        assert "::error file=bad one/config.json,line=1," in done.stdout
    last = ACTION["runs"]["steps"][-1]
    assert bash(last["run"], repository, XFCHECK_CODE=str(code)).returncode == code


def test_every_input_of_the_action_is_used() -> None:
    text = (ROOT / "action.yml").read_text()
    assert [name for name in ACTION["inputs"] if f"inputs.{name}" not in text] == []
    assert all("description" in each and "default" in each for each in ACTION["inputs"].values())


def test_gitlab_template(repository: Path) -> None:
    job = yaml.safe_load((ROOT / "templates" / "gitlab.yml").read_text())["xfcheck"]
    (script,) = job["script"]
    for paths, code in (("good", 0), (".", 1), ("nowhere", 2)):
        assert bash(script, repository, XFCHECK_FLAGS=job["variables"]["XFCHECK_FLAGS"], XFCHECK_PATHS=paths).returncode == code
    reports = job["artifacts"]["reports"]
    bash(script, repository, XFCHECK_FLAGS="", XFCHECK_PATHS=".")
    assert [row["location"]["path"] for row in json.loads((repository / reports["codequality"]).read_text())] == ["bad one/config.json"]
    assert "<testsuites" in (repository / reports["junit"]).read_text()
