"""Trained parameters of low-rank adapters: what papers and PEFT's logs print, and what PEFT counts of small models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.documents.folder import open_model
from xfcheck.model import load
from xfcheck.problems import Refused

FIGURES = [json.loads(line) for line in (Path(__file__).parent / "figures" / "adapters.jsonl").read_text().splitlines()]
LLAMA = {
    "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 96, "vocab_size": 100,
}  # fmt: skip
EXPERTS = {
    "model_type": "mixtral", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 96, "num_local_experts": 4, "num_experts_per_tok": 2, "vocab_size": 100,
}  # fmt: skip


def trained(folder: Path, config: dict[str, Any], adapter: dict[str, Any]) -> dict[str, Any]:
    """The budget of a folder with both files."""
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", **adapter}))
    return budget(load(open_model(str(folder))), Options(context=16, training="adamw"))


@pytest.mark.parametrize("figure", FIGURES, ids=[f"{f['model']}-{n}" for n, f in enumerate(FIGURES)])
def test_counted(tmp_path: Path, figure: dict[str, Any]) -> None:
    assert trained(tmp_path, figure["config"], figure["adapter"])["memory"]["training"]["trained_parameters"] == figure["value"]


def test_experts_of_a_checkpoint(tmp_path: Path) -> None:
    """One pair an expert's matrix, r (in + out) each, where a target names matrices that only the checkpoint keeps apart; it is said."""
    result = trained(tmp_path, EXPERTS, {"r": 4, "target_modules": ["w1", "w2", "w3"]})
    assert result["memory"]["training"]["trained_parameters"] == 2 * 4 * 3 * 4 * (64 + 96)
    assert any(a["field"] == "/adapter_config.json/target_modules" for a in result["assumptions"])


def test_experts_and_dense_layers_of_one_name(tmp_path: Path) -> None:
    """gate_proj, up_proj and down_proj of DeepSeek: one dense layer, shared experts and 8 routed ones in three layers."""
    config = {
        "model_type": "deepseek_v3", "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 4,
        "q_lora_rank": 24, "kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 12, "intermediate_size": 128,
        "moe_intermediate_size": 32, "n_routed_experts": 8, "n_shared_experts": 1, "num_experts_per_tok": 2, "first_k_dense_replace": 1,
        "n_group": 2, "topk_group": 1, "vocab_size": 100,
    }  # fmt: skip
    result = trained(tmp_path, config, {"r": 4, "target_modules": ["gate_proj", "up_proj", "down_proj"]})
    assert result["memory"]["training"]["trained_parameters"] == 3 * 4 * (64 + 128) + 3 * (1 + 8) * 3 * 4 * (64 + 32)


@pytest.mark.parametrize("targets", [["c_attn"], "model\\.layers\\.9\\..*"])
def test_nothing_matched(tmp_path: Path, targets: Any) -> None:
    """PEFT refuses it too."""
    with pytest.raises(Refused, match="no module of the model is called") as caught:
        trained(tmp_path, LLAMA, {"r": 4, "target_modules": targets})
    assert caught.value.code == "XF911"


@pytest.mark.parametrize(
    "adapter",
    [{"r": 4, "target_modules": "(q_proj"}, {"r": 4, "target_modules": ["q_proj"], "rank_pattern": {"(": 2}},
     {"r": 4, "target_modules": ["q_proj"], "modules_to_save": ["("]}, {"r": True, "target_modules": ["q_proj"]}, {"r": 4},
     {"r": 4, "target_modules": []}]
)  # fmt: skip
def test_refused(tmp_path: Path, adapter: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        trained(tmp_path, LLAMA, adapter)


def test_whole_subtree_is_saved(tmp_path: Path) -> None:
    """The classifier of RoBERTa, two matrices below one name, is trained whole; PEFT prints 1,838,082 for the large model with r = 8."""
    config = {
        "model_type": "roberta", "architectures": ["RobertaForSequenceClassification"], "vocab_size": 50265, "hidden_size": 1024,
        "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096, "max_position_embeddings": 514,
        "type_vocab_size": 1,
    }  # fmt: skip
    adapter = {"r": 8, "target_modules": ["query", "value"], "modules_to_save": ["classifier", "score"]}
    assert trained(tmp_path, config, adapter)["memory"]["training"]["trained_parameters"] == 1838082 == 24 * 2 * 8 * 2048 + 1024 * 1027 + 2
