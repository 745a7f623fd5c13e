"""What experts' exchange moves and how many are met, against closed forms that simulations agree with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.accounting.moe import moe
from xfcheck.documents.folder import open_model
from xfcheck.model import load, understand

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1024 * 1024


def config(experts: int, chosen: int, hidden: int = 7168) -> dict[str, Any]:
    return {
        "model_type": "qwen3_moe", "hidden_size": hidden, "num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 8,
        "head_dim": 64, "intermediate_size": 64, "moe_intermediate_size": 64, "num_experts": experts, "num_experts_per_tok": chosen,
        "vocab_size": 128,
        "torch_dtype": "bfloat16", "tie_word_embeddings": False,
    }  # fmt: skip


def traffic(experts: int, chosen: int, hidden: int, ranks: int, tokens: int) -> dict[str, Any]:
    """Of `tokens` tokens a rank, one byte a value."""
    architecture = understand(config(experts, chosen, hidden), None).architecture  # type: ignore[arg-type]
    got = moe(architecture, tokens=tokens * ranks, dtype="int8", expert_parallel=ranks)
    assert got is not None
    found: dict[str, Any] = got["communication"]
    return found


# MiB a rank and layer: once an expert, once a rank; 256 of 8 on 64 ranks, 128 of 8 on 8
@pytest.mark.parametrize(
    ("experts", "hidden", "ranks", "tokens", "each", "once"),
    [(256, 7168, 64, 8192, 441.0, 423.1), (256, 7168, 64, 128, 6.9, 6.6), (128, 4096, 8, 4096, 112.0, 74.8)],
)
def test_exchange(experts: int, hidden: int, ranks: int, tokens: int, each: float, once: float) -> None:
    got = traffic(experts, 8, hidden, ranks, tokens)
    assert got["dispatch_bytes_per_rank"] / MIB == pytest.approx(each, abs=0.051)
    assert got["combine_bytes_per_rank"] == got["dispatch_bytes_per_rank"]
    assert got["deduplicated_dispatch_bytes_per_rank"] / MIB == pytest.approx(once, abs=0.051)


# uniform top-8 of 256: ranks that a token is sent to
@pytest.mark.parametrize(("ranks", "met"), [(8, 5.29465), (16, 6.52328), (32, 7.2668), (64, 7.67575)])
def test_ranks_met(ranks: int, met: float) -> None:
    got = traffic(256, 8, 64, ranks, 10**6)
    assert got["deduplicated_dispatch_bytes_per_rank"] / (64 * 10**6) == pytest.approx(met * (ranks - 1) / ranks, rel=1e-5)


@pytest.mark.parametrize(
    ("experts", "chosen", "batch", "met"),
    [(8, 2, 4, 5.47), (64, 6, 16, 50.75), (128, 8, 16, 82.42), (256, 8, 64, 222.44), (384, 8, 64, 284.19)]
)  # fmt: skip
def test_experts_met_in_a_step(experts: int, chosen: int, batch: int, met: float) -> None:
    got = moe(understand(config(experts, chosen), None).architecture, tokens=batch, dtype="bfloat16")  # type: ignore[arg-type]
    assert got is not None
    assert got["load"]["distinct_experts_in_batch"] == pytest.approx(met, abs=0.006)


def test_deployment_of_the_folder(tmp_path: Path) -> None:
    """Ranks, capacity, device and data ranks come from xfcheck.yaml."""
    (tmp_path / "config.json").write_text(json.dumps(config(64, 4, 64)))
    (tmp_path / "xfcheck.yaml").write_text(
        "deploy: {expert_parallel: 8, data_parallel: 4, device: h100-sxm, context_length: 512}\ntrain: {capacity_factor: 1.0}\n"
    )
    got = budget(load(open_model(str(tmp_path))), Options(training="adamw"))
    assert got["moe"]["communication"]["expert_parallel"] == 8
    assert got["moe"]["communication"]["dispatch_bytes_per_rank"] == 512 // 8 * 4 * 7 // 8 * 64 * 2
    assert got["moe"]["capacity_factor"] == 1.0
    assert 0.05 < got["moe"]["load"]["expected_drop_fraction"] < 0.1
    assert got["device"]["id"] == "h100-sxm"
    assert got["flops"]["prefill"]["tokens"] == 512
    total = got["parameters"]["total"]
    assert got["memory"]["training"]["states_bytes_per_rank"]["zero3"] == 16 * total // 4


def test_a_device_of_ones_own_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config(8, 2, 64)))
    (tmp_path / "xfcheck.yaml").write_text("deploy: {device: the-box-downstairs}\n")
    assert "device" not in budget(load(open_model(str(tmp_path))), Options(context=8))
