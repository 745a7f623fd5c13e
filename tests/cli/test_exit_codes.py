"""Exit codes, by real processes: 0 fine, 1 findings, 2 the job could not be done."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

GOOD: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16",
}  # fmt: skip


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """xfcheck with these arguments."""
    return subprocess.run([sys.executable, "-m", "xfcheck", *arguments], input=stdin, capture_output=True, text=True, check=False)


def laid(folder: Path, config: dict[str, Any] | str, name: str = "config.json") -> str:
    """The path of a config written into the folder."""
    path = folder / name
    path.write_text(config if isinstance(config, str) else json.dumps(config))
    return str(path)


def test_a_good_config_is_0(tmp_path: Path) -> None:
    done = run("lint", laid(tmp_path, GOOD))
    assert done.returncode == 0, done.stdout
    assert "Traceback" not in done.stderr


def test_an_error_is_1_and_below_fail_on_0(tmp_path: Path) -> None:
    path = laid(tmp_path, {**GOOD, "num_key_value_heads": 3})
    assert run("lint", path).returncode == 1
    assert run("lint", path, "--fail-on", "never").returncode == 0


def test_a_malformed_config_is_a_finding_of_lint_and_an_error_object_elsewhere(tmp_path: Path) -> None:
    path = laid(tmp_path, '{"model_type": "llama",')
    lint, budget = run("lint", path, "--format", "json"), run("budget", path, "--format", "json")
    assert lint.returncode == 1
    assert [f["code"] for f in json.loads(lint.stdout)["files"][0]["findings"]] == ["XF901"]
    assert budget.returncode == 2
    assert json.loads(budget.stdout)["results"][0]["error"]["code"] == "XF901"


def test_the_other_paths_are_still_answered(tmp_path: Path) -> None:
    good, bad = laid(tmp_path, GOOD), laid(tmp_path, "[]", "bad.json")
    done = run("budget", bad, str(tmp_path / "absent.json"), good, "--format", "jsonl")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert [line.get("error", {}).get("code") for line in lines] == ["XF901", "usage", None]
    assert lines[2]["parameters"]["total"] == 2 * 96 * 64 + 64 + 2 * (64 * 64 * 2 + 64 * 32 * 2 + 3 * 64 * 128 + 2 * 64)


def test_usage_is_2(tmp_path: Path) -> None:
    path = laid(tmp_path, GOOD)
    for arguments in (
        ["lint", str(tmp_path / "nowhere")],
        ["lint", path, "--select", "XX1"],
        ["budget", path, "--dtype", "float17"],
        ["explain", "XF000"],
        ["nonsense"],
    ):
        done = run(*arguments)
        assert done.returncode == 2, arguments
        assert "Traceback" not in done.stderr, arguments
        assert done.stderr, arguments


def test_stdin(tmp_path: Path) -> None:
    done = run("budget", "-", "--format", "json", stdin=json.dumps(GOOD))
    assert json.loads(done.stdout)["results"][0]["path"] == "-"
    assert done.returncode == 0


def test_require_exact_is_2_where_a_number_is_estimated(tmp_path: Path) -> None:
    exact, foreign = laid(tmp_path, GOOD), laid(tmp_path, {**GOOD, "architectures": ["SomebodysForCausalLM"]}, "foreign.json")
    assert run("budget", exact, "--require-exact").returncode == 0
    assert run("budget", foreign, "--require-exact").returncode == 2


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("xfcheck ")
    done = run("--help")
    assert done.returncode == 0
    assert "lint" in done.stdout
