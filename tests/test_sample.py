"""Rows of a data loader: every count by hand, every fault found, and nothing said of rows that are fine."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.documents.folder import open_model
from xfcheck.rules._engine import lint, with_sample
from xfcheck.rules._selection import Selection

if TYPE_CHECKING:
    from pathlib import Path

    from xfcheck.rules._engine import Report

CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16", "pad_token_id": 0, "eos_token_id": 2,
}  # fmt: skip
ALL = Selection(extend=("ALL",))
GOOD = {"input_ids": [5, 6, 7, 2, 0, 0], "attention_mask": [1, 1, 1, 1, 0, 0], "labels": [-100, -100, 7, 2, -100, -100]}


def judged(folder: Path, *rows: Any, **config: Any) -> Report:
    (folder / "config.json").write_text(json.dumps({**CONFIG, **config}))
    path = folder / "rows.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    model = open_model(str(folder))
    report = with_sample(lint(model, ALL), model, str(path), ALL)
    return report._replace(findings=[f for f in report.findings if f.file == str(path)])


def codes(report: Report) -> set[tuple[str, str, int | None]]:
    return {(f.code, f.severity, f.line) for f in report.findings}


def test_counts_by_hand(tmp_path: Path) -> None:
    packed = {"input_ids": [3, 4, 2, 8, 9, 2], "labels": [-100, 4, 2, -100, 9, 2], "position_ids": [0, 1, 2, 0, 1, 2]}
    report = judged(tmp_path, GOOD, packed)
    assert report.sample is not None
    assert report.sample.as_json() == {
        "path": str(tmp_path / "rows.jsonl"), "pad_token_id": 0, "eos_token_id": [2], "rows": 2, "documents": 3, "tokens": 12, "padding": 2,
        "trained": 6, "padding_trained": 0, "eos": 3, "eos_trained": 3, "rows_without_labels": 0, "fully_masked_rows": 0,
        "prompt_trained_rows": 0, "masked_queries": 0, "trained_fraction": 0.6,
    }  # fmt: skip
    assert report.findings == []


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ({"labels": [-100, -100, 7, 2, 0, 0]}, ("XF201", "error", 2)),
        ({"labels": [-100] * 6}, ("XF206", "error", 2)),
        ({"labels": [5, -100, -100, -100, -100, -100]}, ("XF206", "error", 2)),  # the first label is of no prediction
        ({"attention_mask": [0] * 6, "labels": [-100] * 6}, ("XF203", "error", 2)),
        (
            {"input_ids": [0, 0, 5, 6, 7, 2], "attention_mask": [0, 0, 1, 1, 1, 1], "labels": [-100, -100, -100, 6, 7, 2]},
            ("XF203", "info", 2),
        ),
        ({"labels": [5, 6, 7, 2, -100, -100]}, ("XF218", "info", 2)),
        ({"labels": [-100, -1, 7, 2, -100, -100]}, ("XF208", "warning", 2)),
        ({"input_ids": [5, 6, 96, 2, 0, 0]}, ("XF601", "error", 2)),
        ({"labels": [-100, 7, 2, -100, -100, -100]}, ("XF214", "warning", 2)),
        ({"position_ids": [0, 1, 2, 5, 6, 7]}, ("XF205", "warning", 2)),
        ({"attention_mask": [1] * 6, "position_ids": [0, 1, 2, 0, 1, 2]}, ("XF205", "warning", 2)),
        ({"attention_mask": [1, 1, 1, 2, 2, 2]}, ("XF205", "warning", 2)),
        ({"attention_mask": [1, 1, 1, 2, 2, 2], "position_ids": [0, 1, 2, 3, 4, 5]}, ("XF205", "warning", 2)),
        ({"labels": [1]}, ("XF901", "error", 2)),
        ({"attention_mask": "111111"}, ("XF901", "error", 2)),
        ({"input_ids": None}, ("XF901", "error", 2)),
    ],
)
def test_each_fault_at_its_line(row: dict[str, Any], wanted: tuple[str, str, int], tmp_path: Path) -> None:
    assert wanted in codes(judged(tmp_path, GOOD, {**GOOD, **row}))


@pytest.mark.parametrize(
    "row",
    [
        {"attention_mask": [1, 1, 2, 2, 0, 0], "position_ids": [0, 1, 0, 1, 0, 0]},
        {"input_ids": [[5, 6, 7, 2, 0, 0]] * 2, "attention_mask": [[1, 1, 1, 1, 0, 0]] * 2, "labels": [[-100, -100, 7, 2, -100, -100]] * 2},
        {"position_ids": [0, 1, 2, 3, 0, 0]},
    ],
)
def test_rows_that_are_fine(row: dict[str, Any], tmp_path: Path) -> None:
    assert codes(judged(tmp_path, GOOD, {**GOOD, **row})) == set()


def test_the_end_that_is_never_trained(tmp_path: Path) -> None:
    masked = {**GOOD, "labels": [-100, -100, 7, -100, -100, -100]}
    assert ("XF213", "warning", 1) in codes(judged(tmp_path, masked))
    by_id = {**masked, "input_ids": [5, 6, 7, 2, 2, 2]}
    assert ("XF201", "warning", 1) in codes(judged(tmp_path, by_id, pad_token_id=2))
    assert codes(judged(tmp_path, masked, eos_token_id=None)) == set()


def test_broken_lines_are_named_and_the_rest_is_counted(tmp_path: Path) -> None:
    report = judged(tmp_path, "{", GOOD, "", "[1]")
    assert codes(report) == {("XF901", "error", 1), ("XF901", "error", 4)}
    assert report.sample is not None
    assert report.sample.counts["rows"] == 1


def test_the_command(tmp_path: Path) -> None:
    judged(tmp_path, {**GOOD, "labels": [-100] * 6})
    argv = [sys.executable, "-m", "xfcheck", "lint", str(tmp_path), "--sample", str(tmp_path / "rows.jsonl")]
    done = subprocess.run([*argv, "--format", "json"], capture_output=True, text=True, check=False)
    (file,) = json.loads(done.stdout)["files"]
    assert (done.returncode, file["sample"]["rows_without_labels"]) == (1, 1)
    text = subprocess.run(argv, capture_output=True, text=True, check=False).stdout
    assert "rows.jsonl:1:1: error XF206" in text
    assert "1 row, 1 sequence, 6 tokens, 2 padding, 0 trained" in text
    missing = subprocess.run([*argv[:-1], str(tmp_path / "none.jsonl")], capture_output=True, text=True, check=False)
    assert (missing.returncode, "no such file" in missing.stderr) == (2, True)
