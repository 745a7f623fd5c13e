"""The command: exit codes, formats, revisions, thresholds, files."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SAMPLES = Path(__file__).parents[2] / "sample_configs"
LLAMA = str(SAMPLES / "llama-3-8b")
CONFIG: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16", "max_position_embeddings": 128,
}  # fmt: skip


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """`xfcheck compare` with these arguments."""
    program = [sys.executable, "-m", "xfcheck", "compare", *arguments]
    return subprocess.run(program, capture_output=True, text=True, check=False, cwd=cwd)


def element(*arguments: str) -> dict[str, Any]:
    """The one element that it answers as JSON."""
    found: dict[str, Any] = json.loads(run(*arguments, "--format", "json").stdout)["results"][0]
    return found


def laid(folder: Path, **changes: Any) -> str:
    """The path of a config written into the folder."""
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps({**CONFIG, **changes}), encoding="utf-8")
    return str(folder)


def test_json_has_budgets_and_deltas_that_agree_with_the_budget_command() -> None:
    found = element(LLAMA, "--vary", "attention=mha,gqa:8", "--context", "2048")
    assert (found["path"], found["baseline"]) == (LLAMA, "mha")
    assert [v["name"] for v in found["variants"]] == ["mha", "gqa:8"]
    program = [sys.executable, "-m", "xfcheck", "budget", LLAMA, "--context", "2048", "--format", "json"]
    plain = json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)["results"][0]
    first, second = found["variants"]
    assert {"path": LLAMA, **second["budget"]} == plain
    assert second["delta"]["parameters"]["total"] == -32 * 2 * 4096 * 24 * 128
    assert second["delta"]["cache"]["bytes"] == -32 * 2 * 24 * 128 * 2048 * 2
    assert first["delta"]["parameters"]["total"] == 0
    assert second["ratio"]["cache.bytes"] == 0.25


def test_a_refused_variant_is_2_and_the_others_are_answered() -> None:
    done = run(LLAMA, "--vary", "attention=gqa:7,mqa", "--format", "json")
    assert done.returncode == 2
    refused, answered = json.loads(done.stdout)["results"][0]["variants"]
    assert refused["error"]["code"] == "XF104"
    assert answered["budget"]["parameters"]["total"] == 8_030_261_248 - 32 * 2 * 4096 * 7 * 128
    shown = run(LLAMA, "--vary", "attention=gqa:7,mqa")
    assert (shown.returncode, "XF104" in shown.stdout) == (2, True)


def test_usage_is_2_and_says_why(tmp_path: Path) -> None:
    cases = [
        [LLAMA], [LLAMA, "--vary", "nonsense=1"], [LLAMA, "--vary", "attention=mha", "--keep", "bytes"], [LLAMA, LLAMA, "--keep", "flops"],
        [LLAMA, "--vary", "layers=2", "--columns", "parameters.totl"], [LLAMA, "--vary", "layers=2", "--format", "xml"],
        [LLAMA, "--vary", "layers=2", "--plot", f"pie={tmp_path}/a.svg"], [LLAMA, "--vary", "layers=2", "--fail-if", "parameters"],
        [LLAMA, "--vary", "layers=2,3", "--baseline", "layers=4"], [LLAMA, "--vary", "layers=2", "--plot", f"roofline={tmp_path}/a.svg"],
    ]  # fmt: skip
    for arguments in cases:
        done = run(*arguments)
        assert done.returncode == 2, arguments
        assert done.stderr.startswith("xfcheck: "), arguments
        assert "internal error" not in done.stderr, arguments
    assert "parameters.total" in run(*cases[4]).stderr, "the nearest key is named"


def test_a_path_that_cannot_be_read_does_not_cost_the_others(tmp_path: Path) -> None:
    done = run(LLAMA, str(tmp_path / "absent"), str(SAMPLES / "gpt2"), "--format", "jsonl")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert [v["name"] for v in lines[0]["variants"]] == [LLAMA, str(SAMPLES / "gpt2")]
    assert lines[1]["error"]["code"] == "usage"


def test_csv_and_markdown_tables() -> None:
    done = run(LLAMA, "--vary", "attention=mha,mqa,gqa:5", "--format", "csv", "--columns", "parameters.total,cache.bytes")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["name"] for row in rows] == ["mha", "mqa", "gqa:5"]
    assert int(rows[1]["delta.cache.bytes"]) == int(rows[1]["cache.bytes"]) - int(rows[0]["cache.bytes"])
    assert rows[1]["ratio.cache.bytes"] == "0.03125"
    assert rows[2]["error"].startswith("XF104")
    marked = run(LLAMA, "--vary", "attention=mha,mqa", "--format", "markdown").stdout.splitlines()
    table = [line for line in marked if line.startswith("|")]
    assert len({line.count(" | ") for line in table[:4]}) == 1, "as many cells in every line"


def test_what_changed_in_two_configs(tmp_path: Path) -> None:
    found = element(laid(tmp_path / "a"), laid(tmp_path / "b", num_key_value_heads=1, hidden_act="gelu", rope_theta=1e6))
    changes = {c["field"]: (c["from"], c["to"]) for c in found["variants"][1]["changes"]}
    assert changes["kv_heads"] == ([2], [1])
    assert changes["feed-forward"] == (["gated silu"], ["gated gelu"])
    assert "hidden_size" not in changes
    assert found["variants"][1]["delta"]["parameters"]["total"] == -2 * 2 * 64 * 16


def test_revisions_of_git_are_read_and_nothing_of_the_repository_runs(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.org", *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    laid(tmp_path / "m")
    (tmp_path / "m" / "xfcheck.yaml").write_text("deploy: {context_length: 32}\n", encoding="utf-8")
    (tmp_path / ".gitattributes").write_text("*.json diff=bad filter=bad\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-qm", "first")
    for key in ("diff.bad.textconv", "filter.bad.smudge", "core.fsmonitor", "core.pager"):
        git("config", key, f"touch {tmp_path}/ran")
    laid(tmp_path / "m", num_hidden_layers=3)
    for old in ("HEAD:m", "HEAD:m/config.json"):
        done = run(old, "m", "--format", "json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        first, second = json.loads(done.stdout)["results"][0]["variants"]
        assert first["budget"]["cache"]["context"] == 32, "the settings of the revision"
        layer = 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128 + 2 * 64
        assert second["delta"]["parameters"]["total"] == layer
    assert not (tmp_path / "ran").exists()
    for wrong in ("HEAD:absent", "nowhere:m", "--output=x:m"):
        assert run(wrong, "m", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("delta.parameters.total > 5%", 0), ("delta.parameters.total > 0", 1), ("delta.parameters.total > 1%", 1),
        ("ratio.cache.bytes >= 2", 1),
        ("cache.bytes > 2GiB", 0), ("parameters.total < 8%", 0), ("delta.cache.bytes <= 0", 0),
    ],
)  # fmt: skip
def test_thresholds(condition: str, code: int) -> None:
    """gqa:16 has 2 * 4096 * 8 * 128 * 32 parameters more than gqa:8, 3.3% of them, and twice the cache, 2 GiB."""
    done = run(LLAMA, "--vary", "attention=gqa:8,gqa:16", "--fail-if", condition, "--bars", "none")
    assert done.returncode == code, done.stderr
    assert (condition in done.stderr) == bool(code)


def test_variants_are_written_out_and_read_again(tmp_path: Path) -> None:
    found = element(LLAMA, "--vary", "attention=mqa,mla", "--write", str(tmp_path), "--context", "512")
    for folder, file, variant in (("mqa", "config.json", 0), ("mla", "config.yaml", 1)):
        path = str(tmp_path / folder / file)
        program = [sys.executable, "-m", "xfcheck", "budget", path, "--context", "512", "--format", "json"]
        plain = json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)["results"][0]
        assert plain == {"path": path, **found["variants"][variant]["budget"]}


def test_a_device_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = Path("/dev/fd/1")
    if not pipe.exists():
        pytest.skip("no such file here")
    done = run(LLAMA, "--vary", "layers=1,2", "--format", "csv", "--output", str(pipe))
    assert done.stdout.startswith("path,")


@pytest.mark.parametrize("format", ["json", "text", "csv"])
def test_no_heavy_import(format: str) -> None:
    heavy = ("torch", "numpy", "transformers", "rich", "yaml", "matplotlib")
    arguments = ["compare", LLAMA, "--vary", "attention=mha,gqa:8,mla", "--format", format]
    program = (
        "import sys\nfrom xfcheck.cli.app import run\n"
        f"try:\n    run({arguments!r})\nexcept SystemExit as done:\n    code = done.code\n"
        f"print(sorted(name for name in {heavy!r} if name in sys.modules), code, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[] 0"


def test_configs_of_other_contexts_are_said_to_have_them(tmp_path: Path) -> None:
    short, long = laid(tmp_path / "a"), laid(tmp_path / "b", max_position_embeddings=256)
    assert "contexts from 128 to 256," in run(short, long).stdout
    assert "context 64," in run(short, long, "--context", "64").stdout
