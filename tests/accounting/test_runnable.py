"""Numbers of a pass that the reference refuses are not called exact."""

from __future__ import annotations

from typing import Any

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.model import understand

LLAMA = {
    "model_type": "llama", "hidden_size": 60, "num_hidden_layers": 2, "num_attention_heads": 6, "num_key_value_heads": 3, "head_dim": 10,
    "intermediate_size": 96, "vocab_size": 100,
}  # fmt: skip
MIXTRAL = {
    "model_type": "mixtral", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 96, "vocab_size": 100, "num_local_experts": 4,
}  # fmt: skip
ROBERTA = {"model_type": "roberta", "max_position_embeddings": 514, "vocab_size": 50265, "type_vocab_size": 1}
WHISPER = {"model_type": "whisper", "max_target_positions": 448}


def asked(config: dict[str, Any], **options: Any) -> dict[str, Any]:
    return budget(understand(config, None), Options(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("config", "context", "why"),
    [
        (LLAMA | {"num_key_value_heads": 4}, 8, "6 query heads are no multiple of 4 key-value heads"),
        (MIXTRAL | {"num_experts_per_tok": 5}, 8, "5 experts a token of 4"),
        ({"model_type": "gpt2", "n_positions": 32}, 33, "33 tokens, and the table of positions has 32 rows"),
        (ROBERTA, 513, "513 tokens, and the table of positions has 512 rows"),
        (WHISPER, 449, "449 tokens, and the table of positions has 448 rows"),
    ],
)
def test_no_pass_runs(config: dict[str, Any], context: int, why: str) -> None:
    """The parameters hold all the same: the model builds."""
    got = asked(config, context=context)
    assert got["fidelity_by"] == {"parameters": "exact", "active": "estimated", "flops": "estimated", "cache": "estimated"}
    assert got["fidelity"] == "estimated"
    assert set(got["verified_by"]) == {"parameters"}
    assert any(why in a["why"] for a in got["assumptions"])


@pytest.mark.parametrize(
    ("config", "context"),
    [(LLAMA, 10_000_000), (MIXTRAL | {"num_experts_per_tok": 4}, 8), ({"model_type": "gpt2", "n_positions": 32}, 32), (ROBERTA, 512),
     (WHISPER, 448)]
)  # fmt: skip
def test_a_pass_runs(config: dict[str, Any], context: int) -> None:
    assert asked(config, context=context)["fidelity"] == "exact"


def test_default_context_can_be_run() -> None:
    """Two of RoBERTa's 514 positions are for padding: 512 tokens."""
    got = asked(ROBERTA)
    assert (got["flops"]["prefill"]["tokens"], got["fidelity"]) == (512, "exact")


def test_cache_in_a_dtype_that_the_reference_never_has() -> None:
    """transformers keeps keys and values as the model computes them; what is asked for is arithmetic."""
    assert asked(LLAMA, context=8, cache_dtype="fp32", engine="transformers")["fidelity_by"]["cache"] == "exact"
    assert asked(LLAMA, context=8, cache_dtype="q4_0", engine="transformers")["fidelity_by"]["cache"] == "estimated"
    assert asked(LLAMA, context=8, cache_dtype="q4_0")["fidelity_by"]["cache"] == "exact"
