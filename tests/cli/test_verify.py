"""verify and shrink as commands: exit codes, the hint where torch is missing, references."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from xfcheck.cli.app import run

TINY: dict[str, Any] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "intermediate_size": 128,
    "vocab_size": 320,
    "torch_dtype": "bfloat16",
    "max_position_embeddings": 128,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
UNSCALED: dict[str, Any] = {
    "xfcheck": 1,
    "embedding": {"rows": 48},
    "head": {"kind": "causal", "rows": 48},
    "stacks": [
        {
            "hidden_size": 128,
            "blocks": [
                {
                    "name": "b",
                    "layers": "0",
                    "sublayers": [
                        {
                            "name": "a",
                            "norm": {"kind": "rms"},
                            "mixers": [{"kind": "attention", "query_heads": 2, "kv_heads": 2, "head_dim": 64, "scale": 1.0}],
                        }
                    ],
                }
            ],
        }
    ],
}


def called(*arguments: str) -> int:
    with pytest.raises(SystemExit) as done:
        run(list(arguments))
    return int(done.value.code or 0)


def written(folder: Path, data: dict[str, Any]) -> str:
    (folder / "config.json").write_text(json.dumps(data))
    return str(folder)


def test_agreement_is_0_and_a_broken_law_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, UNSCALED)
    assert called("verify", path, "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["results"][0]["rows"]
    assert [set(row) for row in rows] == [{"check", "expected", "got", "verdict", "why"}] * len(rows)
    assert {row["verdict"] for row in rows} == {"agreed"}
    assert called("verify", path, "--laws", "--format", "json") == 1
    rows = json.loads(capsys.readouterr().out)["results"][0]["rows"]
    assert "law.score_scale" in {row["check"] for row in rows if row["verdict"] == "differs"}


def test_without_torch_there_is_a_hint_and_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "torch" else find(name, *more))
    assert called("verify", written(tmp_path, TINY)) == 2
    assert "pip install 'xfcheck[torch]'" in capsys.readouterr().err


def test_no_reference_of_that_name_is_2(tmp_path: Path) -> None:
    assert called("verify", written(tmp_path, TINY), "--against", str(tmp_path / "absent")) == 2


def test_against_transformers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("transformers")
    assert called("verify", written(tmp_path, TINY), "--against", "transformers", "--timeout", "300", "--format", "json") == 0
    rows = {row["check"]: row for row in json.loads(capsys.readouterr().out)["results"][0]["rows"]}
    told = {check: row["verdict"] for check, row in rows.items() if check.startswith("transformers.")}
    assert told == dict.fromkeys(
        (
            "transformers.total",
            "transformers.tensors",
            "transformers.flops.prefill",
            "transformers.flops.decode",
            "transformers.cache.bytes",
            "transformers.activations.saved",
        ),
        "agreed",
    )


def test_against_the_index_of_a_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layer = [
        "input_layernorm",
        "post_attention_layernorm",
        *(f"self_attn.{x}_proj" for x in "qkvo"),
        *(f"mlp.{x}_proj" for x in ("gate", "up", "down")),
    ]
    names = ["model.embed_tokens", "model.norm", "lm_head", *(f"model.layers.{i}.{part}" for i in range(3) for part in layer)]
    path = written(tmp_path, TINY)
    for missing, code in ((0, 0), (1, 1)):
        index = {"metadata": {}, "weight_map": {f"{name}.weight": "model-00001-of-00001.safetensors" for name in names[missing:]}}
        (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
        assert called("verify", path, "--against", str(tmp_path / "model.safetensors.index.json"), "--format", "json") == code
        row = json.loads(capsys.readouterr().out)["results"][0]["rows"][-1]
        assert (row["check"], row["expected"], row["got"]) == ("checkpoint.tensors", 30, 30 - missing)


def test_shrink_writes_a_config_below_the_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    big = Path(__file__).parents[2] / "sample_configs" / "llama-3-8b"
    assert called("shrink", str(big), "--parameters", "2M", "-o", str(tmp_path / "small")) == 0
    assert called("budget", str(tmp_path / "small"), "--format", "json", "--context", "16") == 0
    total = json.loads(capsys.readouterr().out)["results"][0]["parameters"]["total"]
    small, whole = (json.loads((p / "config.json").read_text()) for p in (tmp_path / "small", big))
    assert 500_000 < total <= 2_000_000
    for a, b in (("num_attention_heads", "num_key_value_heads"), ("intermediate_size", "hidden_size")):
        assert small[a] * whole[b] == small[b] * whole[a]


@pytest.mark.parametrize("asked", ["", "x", "0", "-3", "nan"])
def test_a_number_that_is_none_is_2(asked: str, tmp_path: Path) -> None:
    assert called("shrink", written(tmp_path, TINY), "--parameters", asked) == 2
