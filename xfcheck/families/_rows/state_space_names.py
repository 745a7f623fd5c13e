"""Names of the tensors of state-space mixers, which many families share under one prefix."""

from __future__ import annotations


def mamba(prefix: str, slot: str = "mamba") -> dict[str, str]:
    """Names of a Mamba-1 mixer whose module is called `prefix` (`mamba`, `mixer`)."""
    return {
        f"{slot}.in": f"{prefix}.in_proj",
        f"{slot}.conv": f"{prefix}.conv1d",
        f"{slot}.x": f"{prefix}.x_proj",
        f"{slot}.dt": f"{prefix}.dt_proj",
        f"{slot}.decay": f"{prefix}.A_log!",
        f"{slot}.skip": f"{prefix}.D!",
        f"{slot}.out": f"{prefix}.out_proj",
    }


def mamba2(prefix: str, slot: str = "mamba2") -> dict[str, str]:
    """Names of a Mamba-2 mixer whose module is called `prefix`."""
    return {
        f"{slot}.in": f"{prefix}.in_proj",
        f"{slot}.conv": f"{prefix}.conv1d",
        f"{slot}.dt_bias": f"{prefix}.dt_bias!",
        f"{slot}.decay": f"{prefix}.A_log!",
        f"{slot}.skip": f"{prefix}.D!",
        f"{slot}.gated_norm": f"{prefix}.norm",
        f"{slot}.out": f"{prefix}.out_proj",
    }


BAMBA = {
    "final_norm": "model.final_layernorm",
    "mamba2.norm": "input_layernorm",
    "feed_forward.norm": "pre_ff_layernorm",
    "mlp.gate": "feed_forward.gate_proj",
    "mlp.up": "feed_forward.up_proj",
    "mlp.down": "feed_forward.down_proj",
    **mamba2("mamba"),
}
"""Where Bamba and Falcon-H1 depart from Llama's names."""


def gated_delta(prefix: str, slot: str = "gated_delta") -> dict[str, str]:
    """Names of a gated delta rule whose module is called `prefix`, packed in any way."""
    parts = {
        "qkvz": "in_proj_qkvz",
        "ba": "in_proj_ba",
        "qkv": "in_proj_qkv",
        "gate": "in_proj_z",
        "beta": "in_proj_b",
        "step": "in_proj_a",
        "conv": "conv1d",
        "dt_bias": "dt_bias!",
        "decay": "A_log!",
        "gated_norm": "norm",
        "out": "out_proj",
    }
    return {f"{slot}.{part}": f"{prefix}.{name}" for part, name in parts.items()}


QWEN_GATED = {
    "gated_delta.norm": "input_layernorm",
    **gated_delta("linear_attn"),
    "moe.shared.gate": "mlp.shared_expert.gate_proj",
    "moe.shared.up": "mlp.shared_expert.up_proj",
    "moe.shared.down": "mlp.shared_expert.down_proj",
}
"""Where Qwen3-Next and the models after it depart from Llama's names."""
