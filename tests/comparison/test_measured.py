"""`compare --measure`: times of all layers, from rows written by hand and from a run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from xfcheck.comparison.measured import Part, Plan, _object

ROOT = Path(__file__).parents[2]
TINY: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 8,
    "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 320, "max_position_embeddings": 128,
}  # fmt: skip


def row(number: int, ms: float, predicted: float, backend: str = "sdpa-flash") -> dict[str, Any]:
    return {"variant": str(number), "median_ms": ms, "roofline_ms": predicted, "backend": backend, "phase": "prefill"}


def plan(*parts: Part, left: list[dict[str, Any]] | None = None) -> Plan:
    made = Plan()
    made.parts[0] = list(parts)
    made.left[0] = left or []
    return made


def test_the_quickest_kernel_times_the_layers() -> None:
    """20 layers of 2 ms and 4 of 5 ms."""
    made = plan(Part("prefill", "as written", 20, 0), Part("prefill", "as written", 4, 1))
    found = _object(made, 0, [row(0, 3.0, 1.0, "sdpa-math"), row(0, 2.0, 1.0), row(1, 5.0, 0.5)], [])
    assert (found["prefill_ms"], found["prefill_predicted_ms"]) == (60.0, 22.0)
    assert found["decode_ms"] is None
    assert [r["backend"] for r in found["rows"]] == ["sdpa-flash", "sdpa-flash"]


def test_latent_attention_in_its_quicker_form() -> None:
    made = plan(Part("prefill", "mla executed", 10, 0), Part("prefill", "mla absorbed", 10, 1), Part("prefill", "as written", 2, 2))
    rows = [row(0, 3.0, 1.0), row(1, 4.0, 1.0), row(2, 1.0, 1.0)]
    assert _object(made, 0, rows, [])["prefill_ms"] == 32.0
    assert _object(made, 0, rows[1:], [])["prefill_ms"] == 42.0
    assert _object(made, 0, rows[2:], [])["prefill_ms"] is None


def test_a_part_that_is_missing_leaves_no_sum() -> None:
    made = plan(Part("prefill", "as written", 20, 0), Part("prefill", "as written", 4, 1))
    refused = [{"variant": "1", "why": "no memory"}]
    found = _object(made, 0, [row(0, 2.0, 1.0)], refused)
    assert found["prefill_ms"] is None
    assert found["refused"] == refused
    other = plan(Part("prefill", "as written", 20, 0), left=[{"kind": "rwkv", "layers": 1, "why": "no kernel"}])
    assert _object(other, 0, [row(0, 2.0, 1.0)], [])["prefill_ms"] is None


def compared(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "xfcheck", "compare", *arguments], capture_output=True, text=True, check=False)


def test_beside_computed_columns(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(TINY))
    flags = ["--vary", "attention=mha,mqa", "--measure", "--context", "64", "--budget-seconds", "60"]
    done = compared(str(path), *flags, "--format", "json")
    assert done.returncode == 0, done.stderr
    variants = json.loads(done.stdout)["results"][0]["variants"]
    assert [v["name"] for v in variants] == ["mha", "mqa"]
    for each, heads in zip(variants, (8, 1), strict=True):
        measured = each["measured"]
        assert measured["device"]["name"]
        assert measured["context"] == 64
        assert measured["prefill_ms"] > 0
        assert measured["decode_ms"] > 0
        assert {(r["kv_heads"], r["layers"], r["key_length"]) for r in measured["rows"]} == {(heads, 3, 64)}
        assert each["ratio"]["measured.decode_ms"] is not None
    shown = compared(str(path), *flags, "--bars", "none")
    assert "measured prefill ms" in shown.stdout
    assert "64 tokens, float32, on " in shown.stdout


def test_without_torch(tmp_path: Path) -> None:
    """A folder that hides torch, in a process of its own."""
    (tmp_path / "config.json").write_text(json.dumps(TINY))
    code = (
        "import importlib.util, sys; known = importlib.util.find_spec; "
        "importlib.util.find_spec = lambda name, *a: None if name == 'torch' else known(name, *a); "
        f"from xfcheck.cli.app import run; run(['compare', {str(tmp_path)!r}, '--vary', 'layers=1,2', '--measure'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'xfcheck[torch]'" in done.stderr


def test_torch_stays_away_without_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(TINY))
    code = (
        "import sys\n"
        "from xfcheck.cli.app import run\n"
        f"try: run(['compare', {str(tmp_path)!r}, '--vary', 'layers=1,2'])\n"
        "except SystemExit: print('torch' in sys.modules, file=sys.stderr)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr.strip() == "False"
