"""Start-up, as ratios measured in one run: xfcheck against a bare interpreter, typer, and a typer command with one Pydantic model.

Whole-process CPU seconds of children (user + system), the commands of a row run in turn so that a machine whose speed drifts slows both
alike; the figure is the median of the ratios. Byte code is compiled first: without it every start compiles anew and the ratio says nothing.

    python benchmarks/startup.py [--runs 15]
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import xfcheck

BARE_TYPER = "import typer"
BARE_COMMAND = """
import typer
from pydantic import BaseModel

class Options(BaseModel):
    context: int = 4096

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

@app.command()
def command(paths: list[str], context: int = 4096) -> None:
    print(Options(context=context).model_dump_json())

app()
"""
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "rms_norm_eps": 1e-05,
    "rope_theta": 500000.0,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}


def seconds(command: list[str]) -> float:
    """CPU seconds of one run, its output thrown away."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(command[0], command)
    _, _, usage = os.wait4(pid, 0)
    return usage.ru_utime + usage.ru_stime


def ratio(ours: list[str], theirs: list[str], runs: int) -> tuple[float, float, float]:
    """(median ratio, median seconds of ours, median seconds of theirs) over paired runs after one that is not counted."""
    seconds(ours), seconds(theirs)
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(runs)]
    return statistics.median(a / b for a, b in pairs), statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def main() -> None:
    """Print one row a comparison with its bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    compileall.compile_dir(Path(xfcheck.__file__).parent, quiet=2)
    with tempfile.TemporaryDirectory() as folder:
        config, bare = Path(folder) / "config.json", Path(folder) / "bare.py"
        many = Path(folder) / "many"
        config.write_text(json.dumps(CONFIG, indent=2))
        bare.write_text(BARE_COMMAND)
        for i in range(200):
            (many / str(i)).mkdir(parents=True)
            (many / str(i) / "config.json").write_text(json.dumps({**CONFIG, "num_hidden_layers": 16 + i % 8}, indent=2))
        python, tool = [sys.executable], [sys.executable, "-m", "xfcheck"]
        rows = [
            ("--version : bare interpreter", [*tool, "--version"], [*python, "-c", "pass"], 2.0),
            ("--help : import typer", [*tool, "--help"], [*python, "-c", BARE_TYPER], 1.5),
            (
                "lint one file : bare typer + pydantic command",
                [*tool, "lint", "--format", "json", str(config)],
                [*python, str(bare), "x"],
                1.25,
            ),
            (
                "budget one file : bare typer + pydantic command",
                [*tool, "budget", "--format", "json", str(config)],
                [*python, str(bare), "x"],
                1.25,
            ),
        ]
        for label, ours, theirs, bound in rows:
            found, a, b = ratio(ours, theirs, runs)
            print(f"{found:5.2f}  (bound {bound:.2f})  {label}   {a * 1000:.0f} ms : {b * 1000:.0f} ms")
        for command in ("lint", "budget"):
            one = statistics.median(seconds([*tool, command, "--format", "jsonl", str(config)]) for _ in range(runs))
            all_ = statistics.median(seconds([*tool, command, "--format", "jsonl", str(many)]) for _ in range(max(3, runs // 3)))
            print(f"{(all_ - one) / 199 * 1000:5.2f} ms (bound 1.00)  {command}: a further file in the same process")


if __name__ == "__main__":
    main()
