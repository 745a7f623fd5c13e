"""Tokens and sequences with units, and what commands take without an argument or with one more."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

LLAMA = str(Path(__file__).parents[2] / "sample_configs" / "llama-3-8b")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """xfcheck with these arguments."""
    return subprocess.run([sys.executable, "-m", "xfcheck", *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("text", "tokens"), [("128k", 128 * 1000), ("128K", 128 * 1000), ("128Ki", 128 * 1024), ("1.5k", 1500), ("131,072", 131072)]
)
def test_a_context_with_a_unit(text: str, tokens: int) -> None:
    found = json.loads(run("budget", LLAMA, "--context", text, "--format", "jsonl").stdout)
    assert (found["cache"]["context"], found["flops"]["prefill"]["tokens"]) == (tokens, tokens)


def test_the_other_counts() -> None:
    found = json.loads(run("budget", LLAMA, "--batch", "1k", "--source-length", "4k", "--format", "jsonl").stdout)
    assert found["cache"]["batch"] == 1000
    shapes = json.loads(run("shapes", LLAMA, "--batch", "2", "--length", "4Ki", "--format", "jsonl").stdout)
    assert (shapes["batch"], shapes["length"]) == (2, 4096)
    varied = json.loads(run("compare", LLAMA, "--vary", "context=8k,8Ki", "--format", "json").stdout)["results"][0]
    assert [v["budget"]["cache"]["context"] for v in varied["variants"]] == [8000, 8192]
    t5 = str(Path(LLAMA).parent / "t5-base")
    assert json.loads(run("shapes", t5, "--source-length", "4k", "--format", "jsonl").stdout)["source_length"] == 4000


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "k", "12x", "1e999999999", "", "1" * 70])
def test_no_count(text: str) -> None:
    done = run("budget", LLAMA, "--context", text)
    assert done.returncode == 2
    assert "--context" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("command", ["budget", "compare", "shapes", "bench"])
def test_the_help_says_what_k_is(command: str) -> None:
    assert "128Ki = 131,072" in " ".join(run(command, "--help").stdout.split())


def test_filters() -> None:
    codes = [row["code"] for row in json.loads(run("rules", "XF3,XF104", "--format", "json").stdout)["rules"]]
    assert "XF104" in codes
    assert all(code.startswith("XF3") or code == "XF104" for code in codes)
    assert len(codes) > 20
    types = [row["model_type"] for row in json.loads(run("families", "qwen3", "--format", "json").stdout)["families"]]
    assert {"qwen3", "qwen3_moe"} <= set(types)
    assert "llama" not in types
    for arguments, said in ((["rules", "XX9"], "no rule code begins with 'XX9'"), (["families", "lamma"], "did you mean llama?")):
        done = run(*arguments)
        assert done.returncode == 2
        assert said in done.stderr


@pytest.mark.parametrize(
    ("command", "choices"), [("explain", ["XF104  kv-heads-not-dividing", "XF901"]), ("schema", ["budget", "xfcheck.yaml"])]
)
def test_without_an_argument_the_choices_are_listed(command: str, choices: list[str]) -> None:
    done = run(command)
    assert (done.returncode, done.stdout) == (2, "")
    assert all(choice in done.stderr for choice in choices)
