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
