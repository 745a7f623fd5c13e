"""Question 3's table: base, scaling and reach by reader and kind of layer; expected values are arithmetic or the readers' own defaults."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from xfcheck.documents.folder import open_model
from xfcheck.model import load
from xfcheck.questions.positions import table
from xfcheck.rules._context import Context

if TYPE_CHECKING:
    from pathlib import Path

BASE: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
}  # fmt: skip


def rows(folder: Path, **keys: Any) -> list[dict[str, Any]]:
    (folder / "config.json").write_text(json.dumps({**BASE, **keys}))
    opened = open_model(str(folder))
    context = Context(opened)
    return table(context, load(opened), context.scopes[0])


def of(found: list[dict[str, Any]], reader: str, *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(row[key] for key in keys) for row in found if row["reader"] == reader]


def test_a_scaling_that_version_4_does_not_read(tmp_path: Path) -> None:
    block = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32, "rope_theta": 5e5}
    found = rows(tmp_path, rope_parameters=block)
    keys = ("theta", "type", "factor", "original", "reach")
    assert of(found, "transformers@5", *keys) == [(5e5, "yarn", 4.0, 32, 128)]  # 32 * 4
    assert of(found, "transformers@4", *keys) == [(1e4, "default", None, 64, 64)]
    assert of(found, "vllm", "reach") == [(128,)]


def test_kinds_of_layers(tmp_path: Path) -> None:
    keys = {
        "model_type": "gemma3_text",
        "num_hidden_layers": 6,
        "head_dim": 16,
        "sliding_window": 16,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    }
    found = rows(tmp_path, **keys)
    want = {("sliding_attention", 1e4, None, 64, 16), ("full_attention", 1e6, 8.0, 512, None)}
    assert set(of(found, "transformers@5", "layers", "theta", "factor", "reach", "window")) == want
    # vLLM takes Gemma 3's maximum as scaled already
    assert set(of(found, "vllm", "reach")) == {(64,)}


def test_a_window_that_llama_cpp_does_not_write(tmp_path: Path) -> None:
    found = rows(tmp_path, model_type="mistral", sliding_window=16)
    assert of(found, "transformers@5", "window") == [(16,)]
    assert of(found, "llama.cpp", "window") == [(None,)]


def test_learned_positions_behind_the_offset(tmp_path: Path) -> None:
    found = rows(tmp_path, model_type="roberta", max_position_embeddings=18, pad_token_id=1)
    assert [(row["type"], row["rows"], row["reach"]) for row in found] == [("learned table", 18, 16)]
