"""What must not be imported on the way of the common commands: start-up is a feature."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = ("torch", "transformers", "numpy", "rich", "yaml", "huggingface_hub", "jinja2", "matplotlib")
CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16",
}  # fmt: skip
PROBE = """
import sys
from xfcheck.cli.app import run
try:
    run({arguments!r})
except SystemExit as done:
    code = done.code
print(sorted(name for name in {heavy!r} if name in sys.modules), code, file=sys.stderr)
"""


@pytest.mark.parametrize("command", ["lint", "budget", "tensors"])
def test_no_heavy_import(command: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    program = PROBE.format(arguments=[command, "--format", "json", str(tmp_path)], heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[] 0"
    assert json.loads(done.stdout)["schema_version"] == 1


def test_version_is_answered_before_typer() -> None:
    program = "import sys; sys.argv = ['xfcheck', '--version']; import xfcheck.__main__ as m; m.main(); print('typer' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == "False"


def test_one_command_imports_no_other(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    program = PROBE.format(
        arguments=["budget", "--format", "json", str(tmp_path)], heavy=["xfcheck.cli.lint", "xfcheck.rules", "xfcheck.families.mixtral"]
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[] 0"


def test_a_checkout_that_is_not_installed_is_said() -> None:
    """Without typer nothing can be parsed: exit code 2 and what to do, no traceback and no exit code of findings."""
    program = "import sys; sys.modules['typer'] = None; sys.argv = ['xfcheck', 'rules']; import xfcheck.__main__ as m; m.main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "typer" in done.stderr
    assert "pip install" in done.stderr
    assert "Traceback" not in done.stderr
