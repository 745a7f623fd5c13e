"""The questions of a composite config are about its language model; what its root alone says is evidence too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from xfcheck.documents.folder import open_model
from xfcheck.model import load
from xfcheck.reports.inspection import inspection, render
from xfcheck.rules._context import Context

if TYPE_CHECKING:
    from pathlib import Path

TEXT: dict[str, Any] = {
    "model_type": "qwen3_vl_text", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 16, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64, "rope_theta": 5000000.0, "eos_token_id": 2,
}  # fmt: skip
WHOLE: dict[str, Any] = {
    "model_type": "qwen3_vl", "architectures": ["Qwen3VLForConditionalGeneration"], "text_config": TEXT, "tie_word_embeddings": True,
    "eos_token_id": [2, 3],
    "vision_config": {"model_type": "qwen3_vl", "depth": 2, "hidden_size": 32, "num_heads": 4, "intermediate_size": 64, "patch_size": 16,
                      "out_hidden_size": 64, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]},
}  # fmt: skip


def asked(folder: Path) -> dict[str, Any]:
    (folder / "config.json").write_text(json.dumps(WHOLE))
    opened = open_model(str(folder))
    return {"path": str(folder), **inspection(Context(opened), load(opened))}


def told(found: dict[str, Any], number: int) -> dict[str, tuple[Any, str]]:
    """Field -> (value, JSON pointer or source) of one question."""
    rows = found["questions"][number - 1]["answers"]
    return {row["field"]: (row["value"], row["evidence"]["pointer"] or row["evidence"]["source"]) for row in rows}


def test_sizes_stand_in_the_text_config(tmp_path: Path) -> None:
    sizes = told(asked(tmp_path), 1)
    assert sizes["hidden_size"] == (64, "/text_config/hidden_size")
    assert sizes["head_dim"] == (16, "/text_config/head_dim")


def test_positions_are_those_of_the_text_model(tmp_path: Path) -> None:
    found = asked(tmp_path)
    assert {(row["layers"], row["theta"], row["type"]) for row in found["questions"][2]["table"]} == {("all", 5e6, "default")}
    assert told(found, 3)["mechanism"][1] == "/text_config/rope_theta"


def test_what_the_root_says(tmp_path: Path) -> None:
    found = asked(tmp_path)
    assert told(found, 4)["head tied to the embedding"] == (True, "/tie_word_embeddings")
    assert told(found, 6)["eos_token_id"] == ([2, 3], "/eos_token_id")


def test_long_values_do_not_run_into_their_source(tmp_path: Path) -> None:
    lines = render(asked(tmp_path)).splitlines()
    line = next(line for line in lines if line.lstrip().startswith("mechanism"))
    assert "theta 5,000,000, 16 dimensions, half config.json /text_config/rope_theta" in " ".join(line.split())
    starts = {row.index("config.json") for row in lines if " config.json /text_config/max_position_embeddings" in row or row == line}
    assert len(starts) == 1
