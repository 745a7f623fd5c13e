"""Where costs pass one another."""

from __future__ import annotations

from typing import Any

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.accounting.crossovers import first
from xfcheck.model import understand


def crossover(config: dict[str, Any], **options: Any) -> int | None:
    found: int | None = budget(understand(config, None), Options(dtype="bf16", **options))["crossovers"]["cache_passes_weights_tokens"]  # type: ignore[arg-type]
    return found


DENSE = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 96,
    "intermediate_size": 80,
}
WEIGHTS = 2 * (2 * (4 * 64 * 64 + 3 * 64 * 80 + 2 * 64) + 2 * 96 * 64 + 64)
TOKEN = 2 * 2 * 2 * 64
"""Bytes of keys and values of a token in both layers."""


@pytest.mark.parametrize("context", [1, 100, 5000])
def test_dense(context: int) -> None:
    """Whatever context the budget is made for: the weights divided by a token's bytes, rounded up."""
    assert crossover(DENSE, context=context) == -(-WEIGHTS // TOKEN)
    assert crossover(DENSE, context=context, batch=3) == -(-WEIGHTS // (3 * TOKEN))


@pytest.mark.parametrize("context", [1, 8, 100, 5000])
def test_windows_fill_up(context: int) -> None:
    """All layers of a window of 16: 16 tokens are less than the weights, so that the cache never passes them."""
    sliding = {**DENSE, "model_type": "mistral", "num_key_value_heads": 4, "sliding_window": 16}
    assert 16 * TOKEN < WEIGHTS
    assert crossover(sliding, context=context) is None
    assert crossover({**sliding, "sliding_window": 4096}, context=context) == -(-WEIGHTS // TOKEN)


def test_one_layer_of_two_grows() -> None:
    """Gemma-2 has a window in every other layer; past it the other one alone grows."""
    config = {
        "model_type": "gemma2", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4,
        "head_dim": 16, "vocab_size": 96, "intermediate_size": 80, "sliding_window": 16,
    }  # fmt: skip
    weights = 2 * (2 * (4 * 64 * 64 + 3 * 64 * 80 + 4 * 64) + 96 * 64 + 64)
    expected = -(-(weights - 16 * TOKEN // 2) // (TOKEN // 2))
    assert crossover(config, context=8) == crossover(config, context=500) == expected


@pytest.mark.parametrize("border", [1, 2, 3, 1000, 2**33])
def test_first(border: int) -> None:
    for near in (None, border, border - 1, border + 1, 7):
        assert first(lambda n: n >= border, near) == border
    assert first(lambda n: False) is None
