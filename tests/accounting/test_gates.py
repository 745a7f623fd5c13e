"""Budget assertions, locks, formats: what a pipeline relies on."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.accounting.assertions import judge, parse, said
from xfcheck.accounting.budget import Options, budget
from xfcheck.accounting.lock import differences, snapshot
from xfcheck.model import understand
from xfcheck.problems import Usage
from xfcheck.reports.budget_markdown import markdown
from xfcheck.reports.budget_text import render

if TYPE_CHECKING:
    from pathlib import Path

LLAMA = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}  # fmt: skip


def result(path: str = "config.json", *, options: Options | None = None, **changed: Any) -> dict[str, Any]:
    return {"path": path, **budget(understand({**LLAMA, **changed}, None), options or Options(context=8192))}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "holds", "margin"),
    [
        ("parameters.total <= 8.1e9", True, 69738752),
        ("parameters.total < 8B", False, -30261248),
        ("cache.bytes_per_token == 128KiB", True, 0),
        ("cache.bytes >= 1GiB", True, 0),
        ("cache.bytes > 1GiB", False, 0),
        ("cache.layers.0.count != 31", True, -1),
        ("memory.weight_bytes<=16.1GB", True, 39477504),
        ("storage.method == none", True, None),
        ("memory.training.total_bytes <= 80GiB", False, None),
    ],
)
def test_assertions(text: str, holds: bool, margin: int | None) -> None:
    got = judge(parse(text), result())
    assert got["holds"] == holds
    assert got["margin"] == margin


def test_said() -> None:
    assert (
        said("a.json", judge(parse("parameters.total < 8B"), result()))
        == "a.json: parameters.total < 8B broken: 8,030,261,248, 30,261,248 (0.4%) past it"
    )


@pytest.mark.parametrize(
    "text", ["parameters.total", "parameters.total <= many", "<= 8", "parameters.total => 8", "parameters.total <= 8 apples"]
)
def test_no_assertions(text: str) -> None:
    with pytest.raises(Usage):
        parse(text)


def test_unknown_key_has_a_neighbour() -> None:
    with pytest.raises(Usage, match=r"parameters\.total"):
        judge(parse("parameters.totals <= 1"), result())


def test_lock(tmp_path: Path) -> None:
    file = tmp_path / "budget.lock"
    file.write_text(snapshot([result("a.json"), result("b.json")]))
    assert differences(str(file), [result("a.json"), result("b.json")]) == []
    changed = differences(str(file), [result("a.json", num_key_value_heads=32), result("c.json")])
    assert "a.json: cache.bytes_per_token 131,072 -> 524,288 (+393,216, +300.00%)" in changed
    assert "c.json: not in " + str(file) in changed
    assert f"b.json: in {file}, not asked for" in changed
    assert any(
        "flops.prefill.tokens 8,192 -> 4,096" in line
        for line in differences(str(file), [result("a.json", options=Options(context=4096)), result("b.json")])
    )


def test_no_lock(tmp_path: Path) -> None:
    file = tmp_path / "x.lock"
    file.write_text("{}")
    with pytest.raises(Usage):
        differences(str(file), [])


def test_text_is_read_in_seconds() -> None:
    text = render(result())
    lines = text.splitlines()
    assert len(lines) <= 16
    assert "8.03B  (8,030,261,248)" in lines[1]
    assert "158.1 TFLOP" in text
    assert "1.00 GiB" in text
    assert "128.0 KiB a token" in text
    assert "(16,060,522,496 bytes = 16.06 GB)" in text
    assert render(result()) == text


def test_text_without_what_is_not_there() -> None:
    """No attention in a state-space model, no slope of its cache; pairs once where no mask takes any away."""
    states = render({"path": "m", **budget(understand({"model_type": "mamba", "vocab_size": 100}, None), Options(context=64))})  # type: ignore[arg-type]
    assert "attention" not in states.replace("attention passes", "")
    assert "scores" not in states
    assert "MiB of any length)" in states
    assert " visible" in (text := render(result()))
    assert " visible" not in next(line for line in text.splitlines() if line.startswith("  decode"))


def test_text_gives_reasons() -> None:
    """Sizes of the class in one line, what is guessed with its reason; with formulas every assumption."""
    got = {"path": "g", **budget(understand({"model_type": "gpt2"}, None), Options(context=2000, formulas=True))}  # type: ignore[arg-type]
    text = render(got)
    assert "assumed        hidden_size = 768, " in text
    assert ", all as the class has them\n" in text
    assert "dtype = bfloat16: the file gives no dtype" in text
    assert "context: no pass runs: 2,000 tokens, and the table of positions has 1,024 rows" in text
    assert all(f"  {a['field']} = " in render(got, verbose=True) for a in got["assumptions"])


def test_formulas_hold() -> None:
    """Each formula of a bucket, evaluated, is its value."""
    got = result(options=Options(context=8192, formulas=True))
    found = {f["number"]: f for f in got["formulas"]}
    assert len(found) > 8
    for number, f in found.items():
        if number.startswith("parameters.by_component"):
            terms = [t.rpartition("]")[0] + "]" for t in f["formula"].split(" + ")]
            value = sum(eval(t.replace("[", "(").replace("]", ")").replace("layers", "").replace("x", "*")) for t in terms)
            assert f"{value:,}" == f["value"]
    assert "32 layers x 2 x 32 heads x (128 + 128)" in found["flops.prefill.attention_full"]["formula"]
    assert "parameters.by_component.mlp = 32 layers x [14336 x 4096] gate" in render(got, verbose=True)


def test_markdown() -> None:
    bad = {"path": "b|c.json", "error": {"code": "XF101", "message": "no `hidden_size`"}}
    good = {**result(), "assertions": [judge(parse("parameters.total <= 8.1e9"), result())]}
    text = markdown([good, bad])
    row = text.splitlines()[2]
    assert row.count("|") == text.splitlines()[0].count("|") == 10
    assert "8.03B (8,030,261,248)" in row
    assert "b\\|c.json" in text
    assert "✅" in text


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "xfcheck", *arguments], capture_output=True, text=True, check=False)


def test_exit_codes(tmp_path: Path) -> None:
    """0 where all hold, 1 with the margin on standard error, 2 for what cannot be asked."""
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA))
    broken = run(
        "budget",
        str(file),
        "--format",
        "json",
        "--assert",
        "parameters.total <= 8B",
        "--assert",
        "parameters.total <= 9B",
        "--lock",
        str(tmp_path / "l"),
    )
    assert broken.returncode == 1
    assert "30,261,248 (0.4%) past it" in broken.stderr
    assert [a["holds"] for a in json.loads(broken.stdout)["results"][0]["assertions"]] == [False, True]
    file.write_text(json.dumps({**LLAMA, "num_hidden_layers": 33}))
    changed = run("budget", str(file), "--check", str(tmp_path / "l"), "--format", "markdown")
    assert changed.returncode == 1
    assert "parameters.total 8,030,261,248 -> 8,248,373,248" in changed.stderr
    assert run("budget", str(file), "--engine", "tgi").returncode == 2
    assert run("budget", str(file), "--assert", "parameters.sum <= 1").returncode == 2


def test_devices_command() -> None:
    got = run("devices", "--format", "json")
    assert got.returncode == 0
    assert any(d["id"] == "h100-sxm" and d["memory_bytes"] == 80 * 2**30 for d in json.loads(got.stdout)["devices"])
    assert "h100-sxm" in run("devices").stdout


def test_engines_that_are_no_reference_are_estimated() -> None:
    """Their caches are held to logs, not to every family."""
    for engine, fidelity in (("transformers", "exact"), ("vllm", "estimated"), ("llama.cpp", "estimated")):
        got = result(options=Options(context=64, engine=engine))
        assert got["fidelity_by"]["cache"] == fidelity
        assert ("cache" in got["verified_by"]) == (fidelity == "exact")
        assert got["fidelity_by"]["parameters"] == "exact"


def test_index_beside_the_config(tmp_path: Path) -> None:
    """The size that a checkpoint's index gives stands beside the computed one."""
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"metadata": {"total_size": 16060522496}, "weight_map": {}}))
    text = run("budget", str(tmp_path), "-v").stdout
    assert "the checkpoint's index says 16,060,522,496 bytes: as computed" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("architecture <= 5", "architecture is 'LlamaForCausalLM', no number"),
        ("parameters <= 5", "did you mean 'parameters.total'"),
        ("flops.decode <= 3", "did you mean 'flops.decode.batch'"),
    ],
)
def test_assertion_on_no_number(text: str, said: str) -> None:
    """A wrong question is a usage error that names keys with numbers, not a broken budget."""
    with pytest.raises(Usage, match=said):
        judge(parse(text), {**result(), "architecture": "LlamaForCausalLM"})


@pytest.mark.parametrize("content", ["x: [1,\n", "just text", "\x00", "h: 3", "h: {memory_bytes: much}"])
def test_devices_file_is_read_without_a_device(tmp_path: Path, content: str) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(content)
    with pytest.raises(Usage):
        Options(devices_file=str(file)).check()
