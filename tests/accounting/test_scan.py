"""Whole forward passes of small recurrent and hybrid models against FLOPs and cache bytes that were measured.

The numbers were measured with transformers 5.24.0 and torch 2.13.0 on a CPU: FlopCounterMode over a prefill of 2 and of 70 tokens and over
one token after the 70 (eager attention and experts), and the bytes of the float tensors in the cache after 70 tokens, in 32 bits. 2 tokens
are fewer than a convolution has taps, 70 are more than one chunk. Null: transformers keeps the state inside its modules and returns no
cache.
"""

from __future__ import annotations

from typing import Any

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.model import understand

COMMON = {"vocab_size": 50, "hidden_size": 24, "num_hidden_layers": 3, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
HEADS = {"num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 8, "intermediate_size": 20}
DELTA = {
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 6,
    "linear_value_head_dim": 5,
    "linear_conv_kernel_dim": 3,
}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 10}
KDA = {"num_heads": 2, "head_dim": 6, "short_conv_kernel_size": 3, "full_attn_layers": [2], "kda_layers": [1, 3]}
STATES = {"mamba_d_state": 5, "mamba_d_conv": 3}

CONFIGS: dict[str, dict[str, Any]] = {
    "mamba": {"state_size": 5, "conv_kernel": 3},
    "mamba2": {"num_heads": 6, "head_dim": 8, "state_size": 5, "n_groups": 2, "chunk_size": 16, "conv_kernel": 3},
    "jamba": {
        **HEADS,
        **STATES,
        "attn_layer_period": 3,
        "attn_layer_offset": 1,
        "expert_layer_period": 2,
        "expert_layer_offset": 0,
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "mamba_dt_rank": 4,
    },
    "bamba": {**HEADS, **STATES, "attn_layer_indices": [1], "mamba_n_heads": 6, "mamba_chunk_size": 16},
    "falcon_h1": {**HEADS, "mamba_d_ssm": 32, "mamba_n_heads": 4, "mamba_d_state": 5, "mamba_n_groups": 2, "mamba_chunk_size": 16},
    "nemotron_h": {
        **HEADS,
        "hybrid_override_pattern": "ME*-M",
        "mamba_num_heads": 6,
        "mamba_head_dim": 8,
        "ssm_state_size": 5,
        "n_groups": 2,
        "chunk_size": 16,
        "n_routed_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 10,
        "moe_shared_expert_intermediate_size": 12,
        "moe_latent_size": 14,
    },
    "zamba2": {
        "num_attention_heads": 3,
        "intermediate_size": 20,
        "layers_block_type": ["hybrid", "linear_attention", "hybrid"],
        "n_mamba_heads": 6,
        "mamba_d_state": 5,
        "chunk_size": 16,
        "adapter_rank": 4,
    },
    "qwen3_next": {**HEADS, **DELTA, **EXPERTS, "shared_expert_intermediate_size": 12, "full_attention_interval": 3},
    "qwen3_5_text": {**HEADS, **DELTA, "full_attention_interval": 3},
    "olmo_hybrid": {**HEADS, **DELTA},
    "kimi_linear": {
        "num_attention_heads": 3,
        "num_key_value_heads": 3,
        "intermediate_size": 20,
        "kv_lora_rank": 7,
        "qk_nope_head_dim": 6,
        "qk_rope_head_dim": 4,
        "v_head_dim": 5,
        "num_experts": 4,
        "num_experts_per_token": 2,
        "moe_intermediate_size": 10,
        "linear_attn_config": KDA,
    },
    "minimax": {**HEADS, "block_size": 16, "num_local_experts": 4},
    "recurrent_gemma": {"num_attention_heads": 3, "intermediate_size": 20, "lru_width": 12, "attention_window_size": 8, "conv1d_width": 3},
    "rwkv": {},
    "xlstm": {"hidden_size": 128, "num_heads": 4, "chunk_size": 16},
    "lfm2": {**HEADS, "full_attn_idxs": [1], "conv_L_cache": 3, "block_auto_adjust_ff_dim": False},
    "zaya": {
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "num_experts": 4,
        "moe_intermediate_size": 10,
        "router_hidden_size": 9,
    },
}

MEASURED: dict[str, tuple[int, int, int | None, int | None]] = {
    "mamba": (61536, 2064768, 30336, 4608),
    "mamba2": (231528, 2851008, 30768, 5328),
    "jamba": (80256, 3206592, 46464, 7552),
    "bamba": (177240, 3171072, 38640, 7792),
    "falcon_h1": (199392, 4717344, 61440, 17856),
    "nemotron_h": (177472, 3063744, 37472, 8576),
    "zamba2": (316496, 7539376, 98272, 59424),
    "qwen3_next": (1269296, 5020960, 37872, 6496),
    "qwen3_5_text": (1257488, 4607680, 31968, 6496),
    "olmo_hybrid": (1255184, 4527040, 30816, 6496),
    "kimi_linear": (695604, 3441084, 63576, 4520),
    "minimax": (67008, 3347520, 46560, 9728),
    "recurrent_gemma": (31296, 1542528, None, None),
    "rwkv": (94656, 3312960, 47328, 1440),
    "xlstm": (2643712, 93709568, 1321856, 25392),
    "lfm2": (48480, 2124096, 30720, 5056),
    "zaya": (59796, 3861948, 56106, 28128),
}
"""FLOPs of 2 tokens, of 70, of one after 70; bytes of the cache after 70 (xLSTM's without its 64-bit counter of tokens)."""


def described(model_type: str, context: int, batch: int = 1) -> dict[str, Any]:
    """The budget of the small config, in 32 bits and transformers' terms."""
    config = {"model_type": model_type, **COMMON, **CONFIGS[model_type]}
    model = understand(config, None)  # type: ignore[arg-type]
    options = Options(batch=batch, context=context, dtype="float32", cache_dtype="float32", engine="transformers")
    return budget(model, options)


@pytest.mark.parametrize("model_type", MEASURED)
def test_prefill_is_what_was_measured(model_type: str) -> None:
    few, many, _, _ = MEASURED[model_type]
    assert described(model_type, 2)["flops"]["prefill"]["total_full"] == few
    assert described(model_type, 70)["flops"]["prefill"]["total_full"] == many


@pytest.mark.parametrize("model_type", [t for t, m in MEASURED.items() if m[2] is not None])
def test_step_and_cache_are_what_was_measured(model_type: str) -> None:
    found = described(model_type, 70)
    assert (found["flops"]["decode"]["total_full"], found["cache"]["bytes"]) == MEASURED[model_type][2:]


@pytest.mark.parametrize("model_type", MEASURED)
def test_states_do_not_grow_with_the_length(model_type: str) -> None:
    """What layers keep beside keys and values is the same after 70 tokens as after 7,000."""

    def states(context: int) -> list[tuple[str, int]]:
        return sorted(
            (x["kind"], x["bytes"]) for x in described(model_type, context)["cache"]["layers"] if x["kind"] in ("conv", "recurrent")
        )

    assert states(70) == states(7000) != []


@pytest.mark.parametrize("model_type", MEASURED)
def test_a_batch_multiplies_all(model_type: str) -> None:
    one, three = described(model_type, 70), described(model_type, 70, batch=3)
    assert three["flops"]["prefill"]["total_full"] == 3 * one["flops"]["prefill"]["total_full"]
    assert three["flops"]["decode"]["total_full"] == 3 * one["flops"]["decode"]["total_full"]
    assert three["cache"]["bytes"] == 3 * one["cache"]["bytes"]


def test_gated_delta_products_by_hand() -> None:
    """One chunk of 64 tokens, 1 head, key width 2, value width 3: 2 * 64^2 * (2 * 2 + 3) + 6 * 64 * 2 * 3."""
    from xfcheck.accounting.mixers.gated_delta import chunked

    assert chunked(1, 2, 3, 64, 1) == chunked(1, 2, 3, 64, 64) == 2 * 4096 * 7 + 6 * 64 * 6
    assert chunked(1, 2, 3, 64, 65) == 2 * chunked(1, 2, 3, 64, 64)


@pytest.mark.parametrize(("length", "ratio", "most"), [(0, 4, 2), (3, 4, 2), (16, 4, 2), (17, 4, 9), (50, 7, 3), (50, 1, 5)])
def test_sums_over_blocks_are_the_sums(length: int, ratio: int, most: int) -> None:
    from xfcheck.accounting.mixers.indexed_attention import blocks, chosen

    assert blocks(length, ratio) == sum(t // ratio for t in range(1, length + 1))
    assert chosen(length, ratio, most) == sum(min(t // ratio, most) for t in range(1, length + 1))
