"""Memory of training and of activations against papers, measured passes and arithmetic written out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.accounting.activations import alive
from xfcheck.accounting.adapters import adapter, adapter_rows
from xfcheck.accounting.budget import Options, budget
from xfcheck.accounting.load import Load
from xfcheck.accounting.run import Run
from xfcheck.accounting.saved import kept
from xfcheck.accounting.training import count, gpt_layer, sharded
from xfcheck.documents.folder import open_model
from xfcheck.model import load, understand

if TYPE_CHECKING:
    from pathlib import Path

SMALL = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 24, "intermediate_size": 176, "vocab_size": 128}

# Table 1 of ZeRO (arXiv 1910.02054): parameters, ranks, stage -> GB, rounded
ZERO = [
    (7.5, 1, "zero3", 120), (7.5, 4, "zero2", 41.3), (7.5, 16, "zero1", 35.6), (7.5, 64, "zero1", 31.4), (7.5, 64, "zero2", 16.6),
    (7.5, 64, "zero3", 1.88),
    (7.5, 256, "zero1", 30.4), (7.5, 1024, "zero2", 15.1), (128, 1, "zero2", 2048), (128, 1, "zero3", 2048), (128, 4, "zero1", 896),
    (128, 4, "zero3", 512),
    (128, 16, "zero2", 368), (128, 64, "zero1", 536), (128, 64, "zero2", 284), (128, 256, "zero1", 518), (128, 1024, "zero2", 257),
    (128, 1024, "zero3", 2),
    (1000, 1, "zero1", 16000), (1000, 1, "zero3", 16000), (1000, 4, "zero1", 7000), (1000, 256, "zero1", 4046), (1000, 256, "zero3", 62.5),
    (1000, 1024, "zero2", 2013), (1000, 1024, "zero3", 15.6),
]  # fmt: skip


@pytest.mark.parametrize(("billions", "ranks", "stage", "printed"), ZERO)
def test_zero(billions: float, ranks: int, stage: str, printed: float) -> None:
    assert float(sharded(int(billions * 10**9), ranks)[stage]) / 1e9 == pytest.approx(printed, rel=6e-3)


def test_megatron_states() -> None:
    """18 bytes a parameter, 6 + 12 / dp with the distributed optimizer.

    16.42B on 4 tensor ranks of 2 data ranks need 46,983.28 MB (12 a parameter).
    """
    assert sharded(1000, 4)["megatron"] == 18000
    assert float(sharded(4105500000, 2)["megatron_distributed"]) / 2**20 == pytest.approx(46983.28, rel=1e-4)


@pytest.mark.parametrize(("heads", "hidden", "printed"), [(96, 12288, 80), (128, 20480, 64)], ids=["GPT-3", "MT-NLG"])
def test_score_term(heads: int, hidden: int, printed: int) -> None:
    """5 a s / h at 2048 tokens (arXiv 2205.05198, section 5), and 34 beside it."""
    every, selective = (gpt_layer(length=2048, batch=1, hidden=hidden, heads=heads, recompute=r) for r in ("none", "selective"))
    assert (every - selective) / (2048 * hidden) == printed
    assert selective / (2048 * hidden) == 34
    assert gpt_layer(length=2048, batch=1, hidden=hidden, heads=heads, recompute="full") == 2 * 2048 * hidden
    assert (
        gpt_layer(length=2048, batch=1, hidden=hidden, heads=heads, recompute="selective", ranks=8, sequence_parallel=True)
        / (2048 * hidden)
        == 34 / 8
    )
    assert gpt_layer(length=2048, batch=1, hidden=hidden, heads=heads, recompute="selective", ranks=8) / (2048 * hidden) == 13


# Measured with transformers 5.24.0 and torch 2.13.0: bytes that autograd keeps of one layer more, fake tensors on a CPU, batch 2, 32
# tokens, bf16, sdpa attention; less the mask of [2, 1, 32, 32] that sdpa makes there and that flash kernels do without (4,096 bytes).
MEASURED = {
    "llama": ({}, 210432 - 4096),
    "qwen3": ({}, 267264 - 4096 + 64 * (4 * 48 + 8 + 2 * 48)),  # measured with two KV heads: the norm of the other two keys is added
    "gpt2": ({"n_embd": 64, "n_head": 4, "n_inner": 176}, 183808 - 4096),
}


@pytest.mark.parametrize("kind", MEASURED)
def test_saved_activations(kind: str) -> None:
    more, measured = MEASURED[kind]
    depth = "n_layer" if kind == "gpt2" else "num_hidden_layers"
    two, three = (
        kept(understand({"model_type": kind, **SMALL, **more, depth: n}, None).architecture, "bfloat16", Run(2, 32))  # type: ignore[arg-type]
        for n in (2, 3)
    )  # fmt: skip
    assert three.selective - two.selective == measured
    assert three.full - two.full == 2 * 32 * 64 * 2


def test_largest_set() -> None:
    """Llama-3-8B: the residual stream beside gate, up and product, 2 bytes each."""
    config = {
        "model_type": "llama",
        "hidden_size": 4096,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "intermediate_size": 14336,
    }
    assert alive(understand(config, None).architecture, "bfloat16", Run(2, 100)) == 2 * 200 * (4096 + 3 * 14336)  # type: ignore[arg-type]


def rows(**more: Any) -> Any:
    return understand({"model_type": "llama", **SMALL, "num_hidden_layers": 2, "tie_word_embeddings": False, **more}, None).rows  # type: ignore[arg-type]


N = 2 * (4 * 64 * 96 + 3 * 64 * 176 + 2 * 64) + 2 * 128 * 64 + 64


@pytest.mark.parametrize(
    ("optimizer", "dtype", "states"),
    [
        ("adamw", "bfloat16", 12 * N),
        ("adamw", "float32", 8 * N),
        ("sgd", "bfloat16", 4 * N),
        ("sgd_momentum", "bfloat16", 8 * N),
        ("muon", "bfloat16", 4 * N + 4 * 2 * (4 * 64 * 96 + 3 * 64 * 176) + 8 * (2 * 128 * 64 + 5 * 64)),
        ("adafactor", "bfloat16", 4 * N + 4 * (2 * (4 * (64 + 96) + 3 * (64 + 176) + 2 * 64) + 2 * (128 + 64) + 64)),
        ("adamw8bit", "bfloat16", 4 * N + 2 * (N - 5 * 64) + 8 * (2 * (4 * 24 + 3 * 44) + 2 * 32) + 8 * 5 * 64),
    ],
)
def test_optimizers(optimizer: str, dtype: str, states: int) -> None:
    """The master copy is 4 bytes in 16 bits; norms of 64 are too small for 8-bit states."""
    width = 2 if dtype == "bfloat16" else 4
    got = count(rows(), dtype, optimizer)
    assert (got.weights, got.gradients, got.optimizer) == (width * N, width * N, states)


@pytest.mark.parametrize("targets", [["q_proj", "v_proj"], r".*\.(q|v)_proj"], ids=["names", "expression"])
def test_adapter(tmp_path: Path, targets: Any) -> None:
    """r (in + out) a target: Llama-3-8B with r = 16 on queries and values trains 6,815,744 parameters (PEFT prints as much)."""
    config = {
        "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14336,
        "vocab_size": 128256, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 16, "target_modules": targets}))
    model = load(open_model(str(tmp_path)))
    found = adapter(model.folder)
    assert found is not None
    trained = adapter_rows(found, model.rows)
    assert sum(row.elements for row in trained) == 6815744 == 32 * 16 * (4096 + 4096 + 4096 + 1024)
    got = budget(model, Options(context=64, training="adamw"))
    assert [a["why"][:7] for a in got["assumptions"] if a["field"] == "memory.training.activations_bytes"] == ["at most"]
    memory = got["memory"]["training"]
    assert memory["trained_parameters"] == 6815744
    assert memory["weights_bytes"] == 2 * 8030261248 + 2 * 6815744
    assert memory["optimizer_bytes"] == 12 * 6815744


# Experts, k, tokens -> E[max] / mean and the share above a capacity factor of 1; simulated batches
ROUTED = [
    (8, 2, 4096, 1.039, 0.0099),
    (64, 6, 4096, 1.120, 0.0196),
    (128, 8, 4096, 1.162, 0.0241),
    (256, 8, 512, 1.766, 0.1001),
    (256, 8, 128, 2.575, 0.191),
]


@pytest.mark.parametrize(("experts", "chosen", "tokens", "largest", "dropped"), ROUTED)
def test_expert_load(experts: int, chosen: int, tokens: int, largest: float, dropped: float) -> None:
    """Simulated: a token's k experts differ, so that loads are not quite independent; within 3% and a tenth."""
    got = Load(tokens, chosen, experts)
    assert got.largest_over_mean() == pytest.approx(largest, rel=0.03)
    assert got.dropped(-(-tokens * chosen // experts)) == pytest.approx(dropped, rel=0.1)


def test_expert_load_of_many_tokens() -> None:
    """Where the sum would be long a normal distribution stands for it; both meet at the border."""
    below, above = Load(150000, 8, 256), Load(170000, 8, 256)
    assert 1 < above.largest_over_mean() < below.largest_over_mean() < 1.05


def test_one_expert_gets_all() -> None:
    got = Load(100, 4, 4)
    assert (got.largest_over_mean(), got.dropped(100), got.dropped(50)) == (1.0, 0.0, 0.5)
