"""Text reports on a terminal narrower than their lines; in a pipe they are as they are."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from xfcheck.reports.terminal import blocks, fitted

SAMPLES = Path(__file__).parents[2] / "sample_configs"
COMMANDS = [
    ["budget", "deepseek-v3"],
    ["budget", "llama-3-8b", "-v"],
    ["inspect", "mixtral-8x7b-v0.1"],
    ["tensors", "mixtral-8x7b-v0.1"],
    ["shapes", "llama-3-8b"],
    ["resolve", "llama-3-8b"],
    ["compare", "llama-3-8b", "--vary", "attention=mha,gqa:8,mqa"],
    ["compare", "llama-3-8b", "mistral-7b-v0.1"],
    ["lint", "faulty", "--extend-select", "ALL", "--color", "always"],
    ["explain", "XF218", "XF613"],
    ["families", "llama"],
    ["devices"],
]


def on_terminal(columns: int, *arguments: str) -> str:
    """What xfcheck prints on a terminal of so many columns, in the folder of the samples."""
    program = [sys.executable, "-m", "xfcheck", *arguments]
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | {"PYTHONUTF8": "1"}
    child = subprocess.Popen(program, stdout=inner, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=SAMPLES, env=environment)
    os.close(inner)
    out = b""
    try:
        while chunk := os.read(outer, 65536):
            out += chunk
    except OSError:  # the other end is closed
        pass
    os.close(outer)
    child.wait()
    return out.decode().replace("\r\n", "\n")


def bare(text: str) -> str:
    """Without colors."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_line_is_wider_and_nothing_is_lost(command: list[str]) -> None:
    piped = subprocess.run(
        [sys.executable, "-m", "xfcheck", *command], cwd=SAMPLES, capture_output=True, text=True, check=False, encoding="utf-8"
    ).stdout
    narrow = bare(on_terminal(80, *command))
    assert max(map(len, bare(piped).splitlines())) > 80, "a case that needs no fitting shows nothing"
    wide = [line for line in narrow.splitlines() if len(line) > 80 and " " in line.strip()]
    # an example that explain shows can be copied as it stands
    assert [line for line in wide if command[0] != "explain" or line not in piped.splitlines()] == []
    # numbers and names, whatever the order that blocks and folds give them; bars are drawn anew
    words = set(re.findall(r"[\w./:,{}-]{3,}", bare(piped)))
    assert words - set(re.findall(r"[\w./:,{}-]{3,}", narrow)) == set() or command[0] in ("explain", "lint")
    if command[0] not in ("explain", "lint"):  # paragraphs are longer, colors are those of a terminal
        assert on_terminal(400, *command) == piped


def test_values_of_a_budget_hang_under_one_another() -> None:
    lines = on_terminal(80, "budget", "deepseek-v3").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("  decode "))
    assert lines[start].index("336.2 TFLOP") == 17
    assert lines[start + 1].startswith(" " * 17 + "attention 818.7 GFLOP")


def test_the_caret_stays_under_its_place(tmp_path: Path) -> None:
    long = '{"pad": "' + "x" * 200 + '", "model_type": "llama", "num_attention_heads": 4, "num_key_value_heads": 3, "hidden_size": 64}'
    (tmp_path / "config.json").write_text(long)
    lines = bare(on_terminal(60, "lint", str(tmp_path), "--select", "XF104")).splitlines()
    at = next(i for i, line in enumerate(lines) if line.endswith("^"))
    assert lines[at - 1][lines[at].index("^") :].startswith('3, "hidden_size"')
    assert '"num_key_value_heads": ' in lines[at - 1]
    assert len(lines[at - 1]) <= 60


def test_json_keeps_its_lines() -> None:
    command = ["budget", "llama-3-8b", "--format", "jsonl"]
    piped = subprocess.run([sys.executable, "-m", "xfcheck", *command], cwd=SAMPLES, capture_output=True, text=True, check=True).stdout
    assert on_terminal(80, *command) == piped


def test_a_pipe_imports_nothing_of_it() -> None:
    program = """
import sys
from xfcheck.cli.app import run
try:
    run(["budget", "llama-3-8b"])
except SystemExit:
    print([name for name in ("xfcheck.reports.terminal", "rich") if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=SAMPLES, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_fitted() -> None:
    assert fitted("short  line", 40) == "short  line"
    assert fitted("any", None) == "any"
    assert (
        fitted("  label      one two three four five six seven eight", 40)
        == "  label      one two three four five six\n             seven eight"
    )
    assert fitted("a" * 50 + "  second", 40) == "a" * 50 + "\n    second", "a word is not cut"
    assert fitted("\x1b[1mpath\x1b[0m " + "w " * 17 + "end", 42) == "\x1b[1mpath\x1b[0m " + "w " * 17 + "end", "colors take no room"


def test_blocks() -> None:
    # 4 + (2+10+2+5) = 23 columns; with the next pair 42
    assert blocks([0, 1, 2, 3, 4], [4, 10, 5, 10, 5], 42, [2, 4]) == [[0, 1, 2, 3, 4]]
    assert blocks([0, 1, 2, 3, 4], [4, 10, 5, 10, 5], 41, [2, 4]) == [[0, 1, 2], [0, 3, 4]]
    assert blocks([0], [4], 41, []) == [[0]]
