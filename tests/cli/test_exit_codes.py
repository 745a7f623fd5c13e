"""Exit codes, by real processes: 0 fine, 1 findings, 2 the job could not be done."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.cli.app import COMMANDS
from xfcheck.cli.examples import EXAMPLES
from xfcheck.documents.folder import open_model
from xfcheck.rules._engine import lint

if TYPE_CHECKING:
    from pathlib import Path

GOOD: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128, "vocab_size": 96, "torch_dtype": "bfloat16",
}  # fmt: skip


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """xfcheck with these arguments."""
    return subprocess.run([sys.executable, "-m", "xfcheck", *arguments], input=stdin, capture_output=True, text=True, check=False)


def laid(folder: Path, config: dict[str, Any] | str, name: str = "config.json") -> str:
    """The path of a config written into the folder."""
    path = folder / name
    path.write_text(config if isinstance(config, str) else json.dumps(config))
    return str(path)


def test_a_good_config_is_0(tmp_path: Path) -> None:
    done = run("lint", laid(tmp_path, GOOD))
    assert done.returncode == 0, done.stdout
    assert "Traceback" not in done.stderr


def test_an_error_is_1_and_below_fail_on_0(tmp_path: Path) -> None:
    path = laid(tmp_path, {**GOOD, "num_key_value_heads": 3})
    assert run("lint", path).returncode == 1
    assert run("lint", path, "--fail-on", "never").returncode == 0


def test_a_malformed_config_is_a_finding_of_lint_and_an_error_object_elsewhere(tmp_path: Path) -> None:
    path = laid(tmp_path, '{"model_type": "llama",')
    lint, budget = run("lint", path, "--format", "json"), run("budget", path, "--format", "json")
    assert lint.returncode == 1
    assert [f["code"] for f in json.loads(lint.stdout)["files"][0]["findings"]] == ["XF901"]
    assert budget.returncode == 2
    assert json.loads(budget.stdout)["results"][0]["error"]["code"] == "XF901"


def test_the_other_paths_are_still_answered(tmp_path: Path) -> None:
    good, bad = laid(tmp_path, GOOD), laid(tmp_path, "[]", "bad.json")
    done = run("budget", bad, str(tmp_path / "absent.json"), good, "--format", "jsonl")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert [line.get("error", {}).get("code") for line in lines] == ["XF901", "usage", None]
    assert lines[2]["parameters"]["total"] == 2 * 96 * 64 + 64 + 2 * (64 * 64 * 2 + 64 * 32 * 2 + 3 * 64 * 128 + 2 * 64)


def test_usage_is_2(tmp_path: Path) -> None:
    path = laid(tmp_path, GOOD)
    for arguments in (
        ["lint", str(tmp_path / "nowhere")],
        ["lint", path, "--select", "XX1"],
        ["budget", path, "--dtype", "float17"],
        ["explain", "XF000"],
        ["nonsense"],
    ):
        done = run(*arguments)
        assert done.returncode == 2, arguments
        assert "Traceback" not in done.stderr, arguments
        assert done.stderr, arguments


def test_stdin(tmp_path: Path) -> None:
    done = run("budget", "-", "--format", "json", stdin=json.dumps(GOOD))
    assert json.loads(done.stdout)["results"][0]["path"] == "-"
    assert done.returncode == 0


def test_require_exact_is_2_where_a_number_is_estimated(tmp_path: Path) -> None:
    exact, foreign = laid(tmp_path, GOOD), laid(tmp_path, {**GOOD, "architectures": ["SomebodysForCausalLM"]}, "foreign.json")
    assert run("budget", exact, "--require-exact").returncode == 0
    assert run("budget", foreign, "--require-exact").returncode == 2


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("xfcheck ")
    done = run("--help")
    assert done.returncode == 0
    assert "lint" in done.stdout


def test_a_crashed_rule_is_2_and_the_rest_is_reported(tmp_path: Path) -> None:
    path = laid(tmp_path, {**GOOD, "num_key_value_heads": 3})
    program = """
import sys
from xfcheck.rules import _engine, _registry
real = _registry.check_of
def crash(context):
    raise ValueError("bang")
_engine.check_of = lambda code: crash if code == "XF411" or code == "XF101" else real(code)
from xfcheck.cli.app import run
run(sys.argv[1:])
"""
    command = [sys.executable, "-c", program, "lint", path, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert {"XF900", "XF104"} <= {f["code"] for f in json.loads(done.stdout)["files"][0]["findings"]}


def test_an_internal_error_is_2_and_no_traceback(tmp_path: Path) -> None:
    path = laid(tmp_path, GOOD)
    program = "import sys, xfcheck.cli.collect as c; c.Search.candidates = None; from xfcheck.cli.app import run; run(sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", program, "lint", path], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "internal error" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupt_is_130(tmp_path: Path) -> None:
    program = "import time; import xfcheck.cli.collect as c\n"
    program += "def wait(path):\n    print('waits', flush=True); time.sleep(60)\n"
    program += "c.open_model = wait\nimport sys; from xfcheck.cli.app import run; run(sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "lint", laid(tmp_path, GOOD)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "waits"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors


def test_a_missing_path_is_2_and_the_others_are_linted(tmp_path: Path) -> None:
    bad = laid(tmp_path, {**GOOD, "num_key_value_heads": 3})
    done = run("lint", str(tmp_path / "absent"), bad, "--format", "json")
    assert done.returncode == 2
    assert "no such file" in done.stderr
    assert [f["code"] for f in json.loads(done.stdout)["files"][0]["findings"]] == ["XF104"]
    (tmp_path / "empty").mkdir()
    assert run("lint", str(tmp_path / "empty")).returncode == 2


def test_a_pipe_that_closes_is_no_error(tmp_path: Path) -> None:
    path = laid(tmp_path, {**GOOD, "num_key_value_heads": 3})
    done = subprocess.run(["bash", "-c", f"'{sys.executable}' -m xfcheck rules | head -1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    del path


@pytest.mark.parametrize(("level", "code"), [("error", 0), ("warning", 1), ("info", 1), ("never", 0), ("fatal", 2)])
def test_fail_on(level: str, code: int, tmp_path: Path) -> None:
    assert run("lint", laid(tmp_path, {**GOOD, "architectures": []}), "--fail-on", level).returncode == code


def test_fail_on_of_the_settings(tmp_path: Path) -> None:
    path = laid(tmp_path, {**GOOD, "architectures": []})
    (tmp_path / "xfcheck.toml").write_text('fail-on = "warning"')
    assert run("lint", path).returncode == 1
    assert run("lint", path, "--fail-on", "error").returncode == 0
    (tmp_path / "xfcheck.toml").write_text("fail-on = 3")
    assert run("lint", path).returncode == 2


def test_files_beside_a_config_are_reported_where_they_are_read(tmp_path: Path) -> None:
    path = laid(tmp_path, GOOD)
    (tmp_path / "tokenizer_config.json").write_text('{"a": 1,}')
    (tmp_path / "model.safetensors.index.json").write_text("[]")
    (tmp_path / "model.safetensors").write_bytes(b"no header")
    folder = open_model(path)
    assert [f.code for f in lint(folder).findings if f.file == "special_tokens_map.json"] == []
    for _ in range(2):
        folder.side("tokenizer_config.json"), folder.side("special_tokens_map.json"), folder.index, list(folder.headers())
    found = [(f.code, f.severity, f.file, f.line) for f in lint(folder).findings if f.code == "XF901"]
    assert [each for each in found if each[2] == "tokenizer_config.json"] == [("XF901", "error", "tokenizer_config.json", 1)]
    assert sorted({each[2] for each in found}) == ["model.safetensors", "model.safetensors.index.json", "tokenizer_config.json"]


def test_the_nearest_command(tmp_path: Path) -> None:
    done = run("lnt", laid(tmp_path, GOOD))
    assert done.returncode == 2
    assert "Did you mean 'lint'?" in done.stderr


def test_help_of_every_command_has_examples_whose_flags_exist() -> None:
    for name, lines in EXAMPLES.items():
        if name not in COMMANDS:
            continue
        done = run(name, "--help")
        assert done.returncode == 0
        for example in lines:
            assert example.split()[:2] == ["xfcheck", name]
            assert example in " ".join(done.stdout.split())
            assert [flag for flag in example.split() if flag.startswith("--") and flag not in done.stdout] == []


def test_every_command_has_examples() -> None:
    assert [name for name in COMMANDS if name not in EXAMPLES] == []


@pytest.mark.parametrize(("words", "wanted"), [("xfcheck li", "lint"), ("xfcheck lint --base", "--baseline")])
def test_completion(words: str, wanted: str) -> None:
    environment = {**os.environ, "_XFCHECK_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run([sys.executable, "-m", "xfcheck"], env=environment, capture_output=True, text=True, check=False)
    assert wanted in done.stdout.split()


def test_a_device_is_written_to_and_stays_one(tmp_path: Path) -> None:
    import os

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    done = run("budget", laid(tmp_path, GOOD), "--format", "jsonl", "--output", str(pipe))
    assert done.returncode == 0
    assert json.loads(os.read(reader, 1 << 20))["model_type"] == "llama"
    os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("how", ["json", "jsonl"])
def test_numbers_that_json_does_not_have_are_spelt(tmp_path: Path, how: str) -> None:
    text = json.dumps(GOOD)[:-1] + ', "initializer_range": -Infinity}'
    done = run("resolve", laid(tmp_path, text), "--reader", "transformers@5", "--format", how)
    assert done.returncode == 0, done.stderr
    assert '"-Infinity"' in done.stdout


@pytest.mark.parametrize(
    "quantization",
    [
        {"quant_method": "fp8", "weight_block_size": [0, 0]},
        {"quant_method": "fp8", "weight_block_size": [-128, -128]},
        {
            "quant_method": "compressed-tensors", "format": "pack-quantized",
            "config_groups": {"a": {"targets": ["Linear"], "weights": {"num_bits": 4, "strategy": "group"}}},
        },
    ],
)  # fmt: skip
def test_quantization_settings_that_no_file_has_leave_storage_unknown(tmp_path: Path, quantization: dict[str, Any]) -> None:
    done = run("budget", laid(tmp_path, {**GOOD, "quantization_config": quantization}), "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["storage"]["bytes"] is None


def test_a_refused_format_names_all_that_budget_writes(tmp_path: Path) -> None:
    done = run("budget", laid(tmp_path, GOOD), "--format", "yaml")
    assert (done.returncode, done.stderr) == (2, "xfcheck: unknown format 'yaml'; one of text, json, jsonl, markdown\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")  # noqa: PTH110
def test_a_full_disk_is_no_internal_error(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "xfcheck", "budget", laid(tmp_path, GOOD)]
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "xfcheck: the output cannot be written: No space left on device\n")


@pytest.mark.parametrize("command", ["budget", "lint", "shrink"])
def test_a_missing_path_is_named_once(command: str) -> None:
    done = run(command, "nowhere\x1b[31m")
    assert done.stderr == "xfcheck: nowhere\\x1b[31m: no such file or folder\n"
    assert "nowhere" not in done.stdout


@pytest.mark.parametrize("command", ["lint", "budget", "inspect", "tensors", "shapes", "resolve", "shrink", "compare"])
def test_a_misspelt_path_gets_the_nearest_name_on_standard_error(tmp_path: Path, command: str) -> None:
    path = laid(tmp_path, GOOD)
    done = run(command, path.replace("config.json", "confg.json"), *(["--vary", "attention=mqa"] if command == "compare" else []))
    assert done.returncode == 2
    assert f"did you mean {path}?" in done.stderr
    assert "confg" not in done.stdout


def test_of_good_and_bad_paths_the_report_alone_is_on_standard_output(tmp_path: Path) -> None:
    good, bad = laid(tmp_path, GOOD), laid(tmp_path, "", "empty.json")
    done = run("budget", good, bad)
    assert (done.returncode, "empty.json" in done.stdout, "LlamaForCausalLM" in done.stdout) == (2, False, True)
    assert done.stderr == f"{bad}: XF901 the file holds no value (line 1, column 1)\n  help: an empty object is written {{}}\n"


@pytest.mark.parametrize(("kv_heads", "code"), [(2, 0), (3, 1)])
def test_a_reader_that_goes_away_changes_no_exit_code(tmp_path: Path, kv_heads: int, code: int) -> None:
    command = [sys.executable, "-m", "xfcheck", "lint", laid(tmp_path, {**GOOD, "num_key_value_heads": kv_heads})]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (code, "")


def test_a_closed_standard_output_is_no_internal_error(tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", 'exec "$@" >&-', "-", sys.executable, "-m", "xfcheck", "budget", laid(tmp_path, GOOD)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "xfcheck: standard output is closed\n")


def test_an_output_without_a_file_is_2(tmp_path: Path) -> None:
    done = run("lint", laid(tmp_path, GOOD), "--output", "sarif:")
    assert (done.returncode, done.stderr) == (2, "xfcheck: --output sarif:: write FORMAT:FILE, such as sarif:report\n")


@pytest.mark.parametrize("command", ["budget", "inspect", "shapes", "tensors", "resolve"])
def test_a_terminal_obeys_no_name_of_a_model(tmp_path: Path, command: str) -> None:
    config = {**GOOD, "model_type": "\x1b[31mllama", "architectures": ["\x1b[2JLlama"]}
    done = run(command, laid(tmp_path, config))
    assert "\x1b" not in done.stdout + done.stderr
    (tmp_path / "a\x1b[31mname").mkdir()
    done = run(command, laid(tmp_path / "a\x1b[31mname", GOOD))
    assert (done.returncode, "\x1b" in done.stdout + done.stderr, "name" in done.stdout) == (0, False, True)


@pytest.mark.parametrize("command", ["budget", "inspect", "shapes", "tensors", "resolve"])
def test_a_config_without_a_model_type_is_of_no_type_called_none(tmp_path: Path, command: str) -> None:
    path = laid(tmp_path, {key: value for key, value in GOOD.items() if key != "model_type"})
    result = json.loads(run(command, path, "--format", "json").stdout)["results"][0]
    assert result["model_type"] in (("llama",) if command != "resolve" else (None,))


def test_a_folder_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from xfcheck.cli.answers import without_config

    assert str(without_config(str(tmp_path))).endswith(": no model config in this folder")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert str(without_config(str(tmp_path))).endswith(": no permission to read this folder")
