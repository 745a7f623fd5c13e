"""The JSON of `budget` against its schema: real reports of several families, with everything that can be asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from xfcheck.schemas import schema

TYPES = ("llama", "gemma2", "t5", "bert", "mamba2", "jamba", "deepseek_v3", "qwen3_next", "whisper", "xlstm")
ASKED = {
    "plain": [],
    "training": ["--training", "adamw", "--device", "h200", "--tokens-per-second", "100", "--convention", "all"],
    "vllm": ["--engine", "vllm", "--device", "tpu-v6e", "-v", "--assert", "parameters.total <= 1T", "--assert", "family == llama"],
    "llama.cpp": ["--engine", "llama.cpp", "--cache-dtype", "q8_0", "--batch", "3", "--context", "700"],
}


def run(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "xfcheck", "budget", *arguments, "--format", "json"]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return found


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema("budget"))


@pytest.mark.parametrize("asked", ASKED)
def test_reports(tmp_path: Path, validator: jsonschema.Draft202012Validator, asked: str) -> None:
    for kind in TYPES:
        (tmp_path / f"{kind}.json").write_text(json.dumps({"model_type": kind}))
    (tmp_path / "broken.json").write_text("{")
    paths = sorted(str(p) for p in tmp_path.iterdir())
    document = run(*paths, *ASKED[asked])
    assert len(document["results"]) == len(TYPES) + 1
    assert [f"{list(e.absolute_path)}: {e.message[:200]}" for e in validator.iter_errors(document)] == []


@pytest.mark.parametrize("method", ["fp8", "awq", "gptq", "bitsandbytes", "mxfp4", "compressed-tensors"])
def test_quantised_checkpoints(tmp_path: Path, validator: jsonschema.Draft202012Validator, method: str) -> None:
    block = {"quant_method": method, "bits": 4, "group_size": 128, "load_in_4bit": True, "weight_block_size": [128, 128]}
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "deepseek_v3", "quantization_config": block}))
    document = run(str(tmp_path))
    assert document["results"][0]["storage"]["method"] != "none"
    assert [f"{list(e.absolute_path)}: {e.message[:200]}" for e in validator.iter_errors(document)] == []


def test_sample_configs(validator: jsonschema.Draft202012Validator) -> None:
    """Published configs, designs and faulty ones."""
    document = run(str(Path(__file__).parents[2] / "sample_configs"))
    assert len(document["results"]) > 20
    assert [f"{list(e.absolute_path)}: {e.message[:200]}" for e in validator.iter_errors(document)] == []


def test_a_wrong_report_is_seen(validator: jsonschema.Draft202012Validator, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama"}))
    document = run(str(tmp_path / "config.json"))
    del document["results"][0]["flops"]["prefill"]["total_full"]
    assert list(validator.iter_errors(document))
