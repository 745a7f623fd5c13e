"""Mixtures of experts: draft layers that no class builds, experts all multiplied, tensors cut on load, blocks that an indexer picks."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from xfcheck.accounting.flops import matmul
from xfcheck.accounting.mixers.block_indexed_attention import kept
from xfcheck.accounting.parameters import parameters
from xfcheck.accounting.run import Run
from xfcheck.architecture.mixers.block_indexed_attention import BlockIndexer
from xfcheck.documents.folder import ModelFolder
from xfcheck.ledger import expand, modules
from xfcheck.model import Model, understand

if TYPE_CHECKING:
    from pathlib import Path

GLM = {
    "model_type": "glm4_moe", "architectures": ["Glm4MoeForCausalLM"], "attention_bias": True, "first_k_dense_replace": 3, "head_dim": 128,
    "hidden_size": 5120, "intermediate_size": 12288, "moe_intermediate_size": 1536, "n_routed_experts": 160, "n_shared_experts": 1,
    "num_attention_heads": 96, "num_experts_per_tok": 8, "num_hidden_layers": 92, "num_key_value_heads": 8, "num_nextn_predict_layers": 1,
    "use_qk_norm": True, "vocab_size": 151552,
}  # fmt: skip
"""The dimensions of GLM-4.5 as published."""


def made(config: dict[str, Any]) -> Model:
    return understand(config, ModelFolder.__new__(ModelFolder))


def test_the_published_glm_checkpoint_is_model_buffers_and_draft_layer() -> None:
    attention = 96 * 128 * 5120 * 2 + 2 * 8 * 128 * 5120 + 96 * 128 + 2 * 8 * 128 + 2 * 128
    experts = 161 * 3 * 1536 * 5120 + 160 * 5120 + 160
    draft = attention + experts + 2 * 5120 + 2 * 5120 * 5120 + 3 * 5120 + 2 * 151552 * 5120
    counted = parameters(made(GLM).rows)
    assert counted["not_loaded"] == draft
    # the sum of all tensors in the index of zai-org/GLM-4.5
    assert counted["total"] + counted["persistent_buffers"] + counted["not_loaded"] == 358_337_791_296  # type: ignore[operator]


def test_a_file_that_is_silent_about_draft_layers_has_none() -> None:
    silent = {key: value for key, value in GLM.items() if key != "num_nextn_predict_layers"}
    assert parameters(made(silent).rows)["not_loaded"] == 0
    assert parameters(made({**GLM, "num_nextn_predict_layers": 0}).rows)["not_loaded"] == 0
    assert parameters(made({**silent, "num_mtp_layers": 1}).rows)["not_loaded"] == parameters(made(GLM).rows)["not_loaded"]


def test_draft_layers_are_listed_only_when_asked_for(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**GLM, "num_hidden_layers": 4}))
    names = []
    for flags in ([], ["--include-not-loaded"]):
        command = [sys.executable, "-m", "xfcheck", "tensors", "--format", "jsonl", *flags, str(tmp_path)]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        names.append({(row["name"], row["kind"]) for row in json.loads(answer.stdout)["rows"]})
    assert {name for name, kind in names[1] - names[0]} >= {
        "model.layers.{layer}.eh_proj.weight",
        "model.layers.{layer}.shared_head.head.weight",
    }
    assert {kind for _, kind in names[1] - names[0]} == {"not_loaded"}


def test_llama4_multiplies_all_experts_and_activates_one() -> None:
    config = {
        "model_type": "llama4_text", "hidden_size": 8, "intermediate_size": 4, "intermediate_size_mlp": 6, "num_hidden_layers": 1,
        "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, "num_local_experts": 16, "num_experts_per_tok": 1,
        "vocab_size": 10,
    }  # fmt: skip
    rows = made(config).rows
    attention, expert, shared, router, head = 2 * 8 * 8 + 2 * 4 * 8, 3 * 4 * 8, 3 * 4 * 8, 16 * 8, 10 * 8
    assert matmul(rows, Run(1, 1)) == 2 * (attention + 16 * expert + shared + router + head)
    active: Any = parameters(rows)["active"]
    assert active["total"] == attention + expert + shared + router + 2 * head + 3 * 8


def test_phimoe_picks_two_experts_whatever_the_file_says() -> None:
    config = {
        "model_type": "phimoe", "hidden_size": 8, "intermediate_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2,
        "num_key_value_heads": 1, "num_local_experts": 4, "num_experts_per_tok": 3, "vocab_size": 10,
    }  # fmt: skip
    experts = [row for row in made(config).rows if row.role.component == "experts"]
    assert {row.active for row in experts} == {(2, 4)}


def test_one_matrix_of_query_key_and_value_is_cut_unevenly_on_load() -> None:
    config = {
        "model_type": "sarvam_moe", "hidden_size": 16, "head_dim": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
        "num_hidden_layers": 1, "first_k_dense_replace": 1, "intermediate_size": 8, "vocab_size": 10,
    }  # fmt: skip
    rows = made(config).rows
    assert {n: r.shape for n, r in expand(rows)}["model.layers.0.attention.query_key_value.weight"] == (16 + 8 + 8, 16)
    held = {n: r.shape for n, r in expand(modules(rows))}
    assert [held[f"model.layers.0.self_attn.{p}_proj.weight"] for p in "qkvo"] == [(16, 16), (8, 16), (8, 16), (16, 16)]


def test_kept_blocks_are_counted_without_a_loop() -> None:
    for block, top in ((1, 1), (4, 1), (4, 3), (5, 2)):
        indexer = BlockIndexer(heads=1, head_dim=1, block=block, top_blocks=top)
        for length in (0, 1, 7, 12, 23, 40):
            seen = 0
            for t in range(length):
                blocks = min(t // block + 1, top)
                seen += (blocks - 1) * block + t % block + 1
            assert kept(indexer, length) == seen
