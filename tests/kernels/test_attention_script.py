"""The script for a GPU goes the same way through on a CPU, in seconds, and every number of its tables stands beside the device's name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "attention_gpu.py"
PARTS = ["prefill", "decode", "backward", "other masks, latent attention, recurrences", "FlexAttention"]


def test_it_runs_on_a_cpu(tmp_path: Path) -> None:
    flags = ["--device", "cpu", "--small", "--budget-seconds", "30"]
    done = subprocess.run([sys.executable, str(SCRIPT), str(tmp_path), *flags], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["attention.json", "attention.md"]
    report = json.loads((tmp_path / "attention.json").read_text())
    assert [part["name"] for part in report["parts"]] == PARTS
    rows = report["parts"][0]["rows"]
    assert {row["variant"].partition(":")[0] for row in rows} == {"mha", "gqa", "mqa"}
    assert {row["query_heads"] * row["head_dim"] for row in rows} == {512}
    assert all(row["query_length"] < row["key_length"] for row in report["parts"][1]["rows"])
    works = {(row["backend"], row["feature"]): row["works"] for row in report["correctness"]}
    assert works["sdpa-flash", "causal, n < m"]
    assert works["torch-chunked", "delta rule"]
    assert not works["sdpa-flash", "softcap"]
    name = report["device"]["name"]
    lines = (tmp_path / "attention.md").read_text().splitlines()
    body = [line for line in lines if line.startswith("| ") and not line.startswith(("| ---", "| device |"))]
    assert len(body) > len(rows)
    assert all(line.startswith(f"| {name}") for line in body)
