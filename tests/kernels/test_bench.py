"""`bench` as a command: rows, refusals, exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

pytest.importorskip("torch")

from xfcheck.cli.app import run
from xfcheck.kernels import measure
from xfcheck.schemas import schema

if TYPE_CHECKING:
    from pathlib import Path

TINY: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 8,
    "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 320, "max_position_embeddings": 128,
}  # fmt: skip
LATENT: dict[str, Any] = {
    "model_type": "deepseek_v2",
    "architectures": ["DeepseekV2ForCausalLM"],
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "q_lora_rank": None,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 16,
    "intermediate_size": 96,
    "n_routed_experts": None,
    "vocab_size": 160,
    "max_position_embeddings": 128,
    "first_k_dense_replace": 2,
}
KEYS = (
    "backend, direction, dtype, batch, query_length, key_length, query_heads, kv_heads, head_dim, causal, median_ms, spread, flops, bytes, "
    "tflops_per_s, gb_per_s, roofline_fraction, max_abs_error"
)
QUICK = ("--context", "32", "--budget-seconds", "120", "--device", "cpu")


def called(*arguments: str) -> int:
    with pytest.raises(SystemExit) as done:
        run(["bench", *arguments])
    return int(str(done.value.code or 0))


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "config.json").write_text(json.dumps(TINY))
    return str(tmp_path)


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ceilings given, threads as they are: a measured roofline is no subject here."""
    from xfcheck.kernels.machine import Ceilings

    monkeypatch.setattr(measure, "ceilings", lambda *_, **__: Ceilings(1e14, 1e13, "measured"))
    monkeypatch.setattr("xfcheck.kernels.machine.pin", lambda _threads: [0])


def answered(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The first element of a document that is as its schema says."""
    document = json.loads(capsys.readouterr().out)
    assert list(jsonschema.Draft202012Validator(schema("bench")).iter_errors(document)) == []
    element: dict[str, Any] = document["results"][0]
    return element


def test_rows(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert called(path, *QUICK, "--format", "json", "--backward") == 0
    element = answered(capsys)
    rows = element["rows"]
    assert {(r["backend"], r["direction"], r["query_length"], r["key_length"]) for r in rows} == {
        (backend, *at) for backend in ("eager", "sdpa-math", "sdpa-flash", "sdpa")
        for at in (("forward", 32, 32), ("backward", 32, 32), ("forward", 1, 32))
    }  # fmt: skip
    for row in rows:
        assert set(KEYS.split(", ")) <= set(row)
        assert (row["query_heads"], row["kv_heads"], row["head_dim"], row["dtype"], row["layers"]) == (8, 4, 8, "float32", 3)
        assert row["median_ms"] > 0
        assert row["max_abs_error"] < 1e-4
        assert row["tflops_per_s"] == pytest.approx(row["flops"] / row["median_ms"] / 1e9)
        assert row["gb_per_s"] == pytest.approx(row["bytes"] / row["median_ms"] / 1e6)
        roof = max(row["flops"] / 1e14, row["bytes"] / 1e13) * 1e3
        assert row["roofline_fraction"] == pytest.approx(roof / row["median_ms"])
    prefill = next(r for r in rows if r["query_length"] == 32 and r["direction"] == "forward")
    assert prefill["flops"] == 4 * 8 * 8 * (32 * 33 // 2)
    assert element["device"]["name"]
    assert {b["backend"]: b["available"] for b in element["backends"]}["sdpa-cudnn"] is False


def test_heads_are_varied_at_equal_query_heads(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert called(path, *QUICK, "--format", "json", "--vary", "heads", "--phase", "decode", "--backend", "eager") == 0
    rows = answered(capsys)["rows"]
    assert [(r["variant"], r["query_heads"], r["kv_heads"]) for r in rows] == [("mha", 8, 8), ("gqa:4", 8, 4), ("mqa", 8, 1)]
    assert len({r["flops"] for r in rows}) == 1
    assert rows[0]["bytes"] > rows[1]["bytes"] > rows[2]["bytes"]


def test_latent_attention_executed_and_absorbed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LATENT))
    assert called(str(tmp_path), *QUICK, "--format", "json", "--phase", "decode", "--backend", "eager") == 0
    rows = {r["variant"]: r for r in answered(capsys)["rows"]}
    shapes = {name: (r["kv_heads"], r["head_dim"], r["value_dim"]) for name, r in rows.items()}
    assert shapes == {"mla executed": (4, 24, 16), "mla absorbed": (1, 24, 16)}
    assert rows["mla absorbed"]["bytes"] == 4 * (4 * 24 + 4 * 16 + 32 * 24)


def test_a_fallback_to_math_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Values narrower than keys: torch's own choice on a CPU is the math backend, without a word; forced, flash refuses."""
    (tmp_path / "config.json").write_text(json.dumps(LATENT))
    flags = ("--phase", "prefill", "--backend", "sdpa", "--backend", "sdpa-flash")
    assert called(str(tmp_path), *QUICK, "--format", "json", *flags) == 0
    element = answered(capsys)
    assert {(r["backend"], tuple(r["operators"])) for r in element["rows"]} == {("sdpa", ("math",))}
    told = [note for note in element["explained"] if "fell back to its math backend" in note]
    assert len(told) == 2
    assert any("enable_gqa, 4 query heads on 1" in note for note in told)
    assert {r["backend"] for r in element["refused"]} == {"sdpa-flash"}


def test_recurrences_of_a_config(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {"hidden_size": 64, "state_size": 4, "num_hidden_layers": 2, "intermediate_size": 128, "vocab_size": 320, "time_step_rank": 4}
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "mamba", **sizes}))
    assert called(str(tmp_path), *QUICK, "--format", "json") == 0
    element = answered(capsys)
    assert {(r["backend"], r["phase"], r["query_length"]) for r in element["rows"]} == {
        ("torch-recurrent", "prefill", 32), ("torch-doubling", "prefill", 32), ("torch-recurrent", "decode", 1),
    }  # fmt: skip
    assert {(r["mixer"], r["query_heads"], r["head_dim"], r["value_dim"], r["layers"]) for r in element["rows"]} == {
        ("mamba", 128, 4, 1, 2)
    }


def test_a_plot(path: str, tmp_path: Path) -> None:
    drawn = tmp_path / "plot.svg"
    assert called(path, *QUICK, "--phase", "decode", "--backend", "eager", "--plot", str(drawn)) == 0
    assert "reached" in drawn.read_text()
    assert called(path, *QUICK, "--plot", str(tmp_path / "plot.pdf")) == 2


def test_support(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert called(path, *QUICK, "--support", "--format", "json", "--backend", "sdpa-flash") == 0
    element = answered(capsys)
    works = {row["feature"]: row for row in element["support"]}
    assert works["gqa"]["works"]
    assert not works["softcap"]["works"]
    assert "softcap" in works["softcap"]["why"]
    assert element["rows"] == []


def test_text_and_markdown_name_the_device(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    from xfcheck.kernels.machine import _cpu_name

    for how in ("text", "markdown"):
        assert called(path, *QUICK, "--format", how, "--phase", "decode", "--backend", "eager") == 0
        out = capsys.readouterr().out
        assert _cpu_name() in out
        assert "lower-right" in out
        assert "eager" in out


def test_the_budget_ends_a_run(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    contexts = [flag for n in range(32, 96) for flag in ("--context", str(n))]
    assert called(path, *contexts, "--budget-seconds", "0.2", "--device", "cpu", "--format", "json", "--backend", "eager") == 0
    element = answered(capsys)
    assert element["stopped"] == "budget"
    assert len(element["rows"]) < 2 * 64


def test_an_interruption_keeps_what_was_measured(path: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    whole, calls = measure.trial, []

    def second(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(measure, "trial", second)
    assert called(path, *QUICK, "--format", "json", "--backend", "eager") == 130
    element = answered(capsys)
    assert element["stopped"] == "interrupted"
    assert [row["query_length"] for row in element["rows"]] == [32]


def test_a_wrong_kernel_is_not_timed(path: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from xfcheck.kernels.backend import Backend

    wrong = Backend("eager", None, lambda *_: lambda inputs: inputs.query * 0.5)
    monkeypatch.setattr(measure, "found", lambda _where: [wrong])
    assert called(path, *QUICK, "--format", "json", "--phase", "prefill") == 0
    element = answered(capsys)
    assert element["rows"] == []
    assert "64-bit reference" in element["refused"][0]["why"]
    assert element["refused"][0]["max_abs_error"] > 0.1


@pytest.mark.parametrize(
    "flags", [("--vary", "layers"), ("--backend", "fastest"), ("--dtype", "int8"), ("--phase", "training"), ("--format", "xml")]
)
def test_what_cannot_be_asked(path: str, flags: tuple[str, str]) -> None:
    assert called(path, *QUICK, *flags) == 2


def test_nothing_to_measure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "fnet", "architectures": ["FNetForMaskedLM"]}))
    assert called(str(tmp_path), *QUICK, "--format", "json") == 2
    assert "no attention" in answered(capsys)["error"]["message"]


def test_without_torch(path: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert called(path) == 2
    assert "pip install 'xfcheck[torch]'" in capsys.readouterr().err
