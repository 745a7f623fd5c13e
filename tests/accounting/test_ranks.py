"""The cache of one tensor parallel rank: heads divided, heads held twice, latents on every rank."""

from __future__ import annotations

from typing import Any

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.model import understand
from xfcheck.problems import Usage
from xfcheck.reports.budget_text import render

GIB = 1024**3
LLAMA = {
    "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "intermediate_size": 14336, "vocab_size": 128256,
}  # fmt: skip
QWEN_32B = {
    "model_type": "qwen2", "hidden_size": 5120, "num_hidden_layers": 64, "num_attention_heads": 40, "num_key_value_heads": 8,
    "intermediate_size": 27648, "vocab_size": 152064,
}  # fmt: skip
QWEN_235B = {
    "model_type": "qwen3_moe", "hidden_size": 4096, "num_hidden_layers": 94, "num_attention_heads": 64, "num_key_value_heads": 4,
    "head_dim": 128, "intermediate_size": 12288, "moe_intermediate_size": 1536, "num_experts": 128, "num_experts_per_tok": 8,
    "vocab_size": 151936,
}  # fmt: skip
LATENT = {"model_type": "deepseek_v3"}
HYBRID = {
    "model_type": "qwen3_5_text", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 16, "num_key_value_heads": 4,
    "head_dim": 256, "intermediate_size": 12288, "vocab_size": 248320, "linear_num_value_heads": 32, "linear_num_key_heads": 16,
}  # fmt: skip


def rank(config: dict[str, Any], ranks: int, **options: Any) -> dict[str, Any]:
    asked = Options(**{"context": 8192, "dtype": "bf16", **options}, tensor_parallel=ranks)
    return budget(understand(config, None), asked)["cache"]  # type: ignore[arg-type,no-any-return]


@pytest.mark.parametrize(("ranks", "heads"), [(2, 4), (4, 2), (8, 1), (16, 1), (32, 1)])
def test_heads(ranks: int, heads: int) -> None:
    """max(1, 8 / N) heads of 128; more ranks than heads hold each head more than once."""
    got = rank(LLAMA, ranks)
    assert got["per_rank"] == {
        "tensor_parallel": ranks, "bytes": 32 * 2 * heads * 128 * 2 * 8192, "bytes_per_token": 32 * 2 * heads * 128 * 2,
        "constant_bytes": 0,
    }  # fmt: skip
    assert got["bytes"] == 32 * 2 * 8 * 128 * 2 * 8192


@pytest.mark.parametrize(("ranks", "why"), [(12, "32 query heads over 12 ranks"), (3, "32 query heads over 3 ranks")])
def test_what_does_not_divide(ranks: int, why: str) -> None:
    got = rank(LLAMA, ranks)["per_rank"]
    assert (got["bytes"], got["unknown_layout"]) == (None, why)
    odd = rank({**LLAMA, "num_attention_heads": 24, "hidden_size": 3072, "num_key_value_heads": 6}, 4)["per_rank"]
    assert (odd["bytes"], odd["unknown_layout"]) == (None, "6 key-value heads over 4 ranks")


def test_latents_are_on_every_rank() -> None:
    got = rank(LATENT, 8)
    assert got["per_rank"]["bytes"] == got["bytes"] == 61 * 576 * 2 * 8192


def test_states_are_divided() -> None:
    """Eight attention layers of 4 heads over 8 ranks hold one head each; 24 states of 32 heads hold four."""
    got = rank(HYBRID, 8)["per_rank"]
    assert got["bytes_per_token"] == 8 * 2 * 1 * 256 * 2
    assert got["constant_bytes"] == 24 * (4 * (2 * 16 * 128 + 32 * 128) // 8 * 2 + 32 * 128 * 128 // 8 * 4)
    assert rank(HYBRID, 32)["per_rank"]["bytes"] is None


def test_logs() -> None:
    """SGLang, Qwen2.5-32B over 4 ranks: 46,611 tokens take 1.42 GiB of keys and as much of values on each.

    vLLM, Qwen3-235B over 4 ranks: 8.11 GiB hold 178,880 tokens (vllm-project/vllm#21348), 1.2% fewer than fit.
    """
    assert rank(QWEN_32B, 4, context=46611)["per_rank"]["bytes"] == pytest.approx(2 * 1.42 * GIB, rel=4e-3)
    assert rank(QWEN_235B, 4, engine="vllm")["per_rank"]["bytes_per_token"] == pytest.approx(8.11 * GIB / 178880, rel=0.015)


def test_text() -> None:
    def text(ranks: int) -> str:
        asked = Options(context=8192, dtype="bf16", tensor_parallel=ranks)
        return render({"path": "m", **budget(understand(LLAMA, None), asked)})  # type: ignore[arg-type]

    assert "4 tensor parallel ranks: 256.0 MiB on each\n" in text(4)
    assert "16 tensor parallel ranks: 128.0 MiB on each, 2.00 x the cache in all" in text(16)
    assert "12 tensor parallel ranks: not known: 32 query heads over 12 ranks" in text(12)
    assert "ranks" not in text(1)
    asked = Options(context=8192, dtype="bf16", tensor_parallel=4, device="h100-sxm")
    on_one = render({"path": "m", **budget(understand(LLAMA, None), asked)})  # type: ignore[arg-type]
    assert "of the whole model on one device: how 4 ranks divide the weights is not counted" in on_one


def test_engines_without_a_layout() -> None:
    with pytest.raises(Usage, match="logical and vllm"):
        Options(engine="llama.cpp", tensor_parallel=2).check()
