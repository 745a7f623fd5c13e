"""Signs of a comparison where standard output has ASCII alone, and layers counted in one form."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SAMPLES = Path(__file__).parents[2] / "sample_configs"


def run(encoding: str, *arguments: str) -> str:
    """What xfcheck prints in an encoding."""
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "xfcheck", *arguments]
    return subprocess.run(command, cwd=SAMPLES, env=environment, capture_output=True, check=True).stdout.decode(encoding)


def test_ratios_in_ascii_and_utf_8() -> None:
    arguments = ("compare", "llama-3-8b", "--vary", "attention=mha,mqa", "--bars", "none")
    ascii_, utf_8 = run("ascii", *arguments), run("utf-8", *arguments)
    assert "\\x" not in ascii_
    assert "x against mha" in ascii_
    assert ascii_ == utf_8.replace("×", "x") != utf_8


def test_layers_are_counted_in_inspect_as_in_compare() -> None:
    # Gemma 2: every second of 26 layers slides, every second of 42
    shown = run("utf-8", "inspect", "gemma-2-2b")
    assert "sliding, window 4096 on 13 layers" in shown
    assert "causal on 13 layers" in shown
    assert "sliding, window 4096 on 21 layers" in run("utf-8", "compare", "gemma-2-2b", "gemma-2-9b")
