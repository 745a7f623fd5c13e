"""What each reader sees of small files; expected values from the readers' own code, or arithmetic."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.documents.folder import open_model
from xfcheck.readers.views import READERS, differences, view
from xfcheck.rules._context import Context

if TYPE_CHECKING:
    from pathlib import Path

BASE: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
}  # fmt: skip
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}
CASES: list[tuple[str, dict[str, Any], str, str, Any]] = [
    # what, keys beside BASE, reader, name, value
    ("version 4 does not read rope_parameters", {"rope_parameters": {"rope_theta": 5e5}}, "transformers@4", "rope.theta", 10000.0),
    ("version 5 does", {"rope_parameters": {"rope_theta": 5e5}}, "transformers@5", "rope.theta", 5e5),
    ("a scaling replaces the block", {"rope_parameters": {"rope_theta": 5e5}, "rope_scaling": YARN}, "transformers@5", "rope.theta", 1e4),
    ("class default of Mixtral", {"model_type": "mixtral"}, "transformers@4", "rope.theta", 1e6),
    ("derived head width", {}, "transformers@5", "head_dim", 16),
    ("vLLM counts yarn from the original length: 32 * 4", {"rope_scaling": YARN}, "vllm", "max_model_len", 128),
    ("linear from the maximum: 64 * 2", {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, "vllm", "max_model_len", 128),
    ("mrope is renewed", {"rope_scaling": {"type": "mrope", "mrope_section": [2, 3, 3]}}, "vllm", "rope.type", "default"),
    ("no scaling, no factor", {}, "vllm", "max_model_len", 64),
    ("32-bit weights", {"torch_dtype": "float32"}, "vllm", "served_dtype", "bfloat16"),
    ("dynamic is not written", {"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}, "llama.cpp", "rope.type", "default"),
    ("yarn is", {"rope_scaling": YARN}, "llama.cpp", "rope.type", "yarn"),
    ("no window for Mistral", {"model_type": "mistral", "sliding_window": 16}, "llama.cpp", "sliding_window", None),
    ("dtype wins", {"torch_dtype": "float16", "dtype": "bfloat16"}, "transformers@5", "dtype", "bfloat16"),
]


def context(folder: Path, **keys: Any) -> Context:
    (folder / "config.json").write_text(json.dumps({**BASE, **keys}, indent=1))
    return Context(open_model(str(folder)))


@pytest.mark.parametrize(("keys", "reader", "name", "value"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_value(keys: dict[str, Any], reader: str, name: str, value: Any, tmp_path: Path) -> None:
    assert view(context(tmp_path, **keys), reader).values[name].value == value


def test_origin_is_the_line_of_the_file(tmp_path: Path) -> None:
    seen = context(tmp_path, rope_theta=5e5)
    value = view(seen, "transformers@4").values["rope.theta"].as_json(seen.document)
    # {, eight keys of BASE a line each, then rope_theta
    assert (value["source"], value["pointer"], value["line"]) == ("file", "/rope_theta", 10)


def test_class_default_names_class_and_version(tmp_path: Path) -> None:
    value = view(context(tmp_path), "transformers@5").values["rms_norm_eps"]
    assert (value.value, value.source, value.detail) == (1e-6, "class default", "LlamaConfig, transformers 5.24.0")


def test_both_spellings_leave_no_difference(tmp_path: Path) -> None:
    seen = context(tmp_path, rope_theta=5e5, rope_parameters={"rope_theta": 5e5, "rope_type": "default"})
    assert differences(view(seen, "transformers@4"), view(seen, "transformers@5")) == []


def test_layers_of_a_tower_are_not_those_of_the_text_model(tmp_path: Path) -> None:
    """A composite that is read as a whole: windows in the text config's upper layer, none of the tower's masks."""
    text = {**BASE, "model_type": "qwen2", "use_sliding_window": True, "sliding_window": 16, "max_window_layers": 1}
    tower = {"model_type": "clip_vision_model", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 3,
             "num_attention_heads": 4, "image_size": 32, "patch_size": 16, "projection_dim": 32}  # fmt: skip
    whole = {"model_type": "llava", "architectures": ["LlavaForConditionalGeneration"], "text_config": text, "vision_config": tower}
    (tmp_path / "config.json").write_text(json.dumps(whole))
    values = view(Context(open_model(str(tmp_path))), "transformers@5").values
    layers = {name: value.value for name, value in values.items() if ".layers." in name or name.startswith("layers.")}
    assert layers == {"text_config.layers.causal": "0", "text_config.layers.sliding 16": "1"}


def test_a_type_of_version_5_alone_is_refused_by_version_4(tmp_path: Path) -> None:
    assert "glm_moe_dsa" in (view(context(tmp_path, model_type="glm_moe_dsa"), "transformers@4").refused or "")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "wrong", [None, 3, "linear", [], {"rope_type": 5, "factor": "x"}, {"type": ["yarn"]}, {"full_attention": None}, {"full_attention": {}}]
)
def test_no_value_breaks_a_reader(reader: str, wrong: Any, tmp_path: Path) -> None:
    for key in ("rope_scaling", "rope_parameters"):
        assert view(context(tmp_path, **{key: wrong}), reader).values


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "xfcheck", "resolve", *arguments], capture_output=True, text=True, check=False)


def test_command(tmp_path: Path) -> None:
    context(tmp_path, rope_parameters={"rope_theta": 5e5})
    done = run(str(tmp_path), "--diff", "transformers@4", "transformers@5", "--format", "jsonl")
    rows = json.loads(done.stdout)["diff"]["rows"]
    assert done.returncode == 0
    assert [(r["name"], r["first"]["value"], r["second"]["value"]) for r in rows] == [("rope.theta", 10000.0, 500000.0)]


def test_unknown_reader_is_usage(tmp_path: Path) -> None:
    context(tmp_path)
    done = run(str(tmp_path), "--reader", "vlm")
    assert (done.returncode, "vllm" in done.stderr) == (2, True)


def test_missing_path_is_an_error_object(tmp_path: Path) -> None:
    done = run(str(tmp_path / "nothing"), "--format", "json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["results"][0]["error"]["code"] == "usage"
