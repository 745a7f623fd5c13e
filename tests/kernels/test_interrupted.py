"""Ctrl-C in a run of its own process: what was measured is reported."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 320, "max_position_embeddings": 4096,
}  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="a console's Ctrl-C is no signal to one child there")
def test_an_interrupted_run_reports_what_it_has(tmp_path: Path) -> None:
    """Progress on stderr says when the second context begins; the first one's rows are then on stdout."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    contexts = [flag for n in range(64, 640, 16) for flag in ("--context", str(n))]
    flags = ["--device", "cpu", "--threads", "1", "--backend", "eager", "--budget-seconds", "300", "--format", "json", "-v"]
    child = subprocess.Popen(
        [sys.executable, "-m", "xfcheck", "bench", str(path), *contexts, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stderr is not None
    for line in child.stderr:
        if "n=80" in line:
            break
    child.send_signal(signal.SIGINT)
    out, rest = child.communicate(timeout=120)
    assert child.returncode == 130, rest
    element = json.loads(out)["results"][0]
    assert element["stopped"] == "interrupted"
    assert {row["key_length"] for row in element["rows"]} >= {64}
    assert "Traceback" not in rest
