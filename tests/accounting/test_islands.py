"""Parts that a class keeps in 32 bits."""

from __future__ import annotations

from typing import Any

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.model import understand

SMALL: dict[str, Any] = {
    "model_type": "deepseek_v3", "hidden_size": 64, "num_hidden_layers": 4, "first_k_dense_replace": 1, "n_routed_experts": 16,
    "num_attention_heads": 4, "q_lora_rank": 24, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16,
    "intermediate_size": 80, "moe_intermediate_size": 32, "vocab_size": 96, "n_group": 4, "topk_group": 2,
}  # fmt: skip


def said(config: dict[str, Any], dtype: str) -> list[str]:
    got = budget(understand(config, None), Options(context=8, dtype=dtype))  # type: ignore[arg-type]
    return [a["why"] for a in got["assumptions"] if a["field"] == "memory.weight_bytes"]


@pytest.mark.parametrize("named", [{"architectures": ["DeepseekV3ForCausalLM"]}, {}])
def test_routers(named: dict[str, Any]) -> None:
    """Three routers of 16 x 64, two bytes more each; their correction is in 32 bits in the checkpoint already."""
    assert said({**SMALL, **named}, "bf16") == [
        "DeepseekV3ForCausalLM keeps gate.weight in 32 bits as it loads them: 6,144 bytes more than the checkpoint"
    ]
    assert said({**SMALL, **named}, "fp32") == []


def test_most_classes_keep_none() -> None:
    assert said({"model_type": "llama"}, "bf16") == []
