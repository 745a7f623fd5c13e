"""A balancing loss beside a balancing bias.

## What it does
Says that a coefficient of the load-balancing loss is given for a router that balances by a bias on the scores.

## Why is this bad?
DeepSeek-V3 and its kin keep the load even by a bias that is adapted outside of the gradient. A loss of Switch's kind beside it
works against the routing that the bias allows.

## Example
```json
{"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 96, "moe_intermediate_size": 32,
 "n_shared_experts": 1, "n_routed_experts": 8, "n_group": 2, "topk_group": 1, "num_experts_per_tok": 2,
 "first_k_dense_replace": 1, "kv_lora_rank": 16, "q_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8,
 "v_head_dim": 8, "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16", "router_aux_loss_coef": 0.001}
```

## Use instead
```json
{"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 96, "moe_intermediate_size": 32,
 "n_shared_experts": 1, "n_routed_experts": 8, "n_group": 2, "topk_group": 1, "num_experts_per_tok": 2,
 "first_k_dense_replace": 1, "kv_lora_rank": 16, "q_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8,
 "v_head_dim": 8, "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16"}
```

## Source
DeepSeek-AI 2024, arXiv 2412.19437, section 2.1.2; huggingface/trl#7248.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._routing import mixer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


KEYS = ("router_aux_loss_coef", "aux_loss_alpha", "aux_loss_coef")


@rule("XF508", "aux-loss-on-bias-balanced", "info", needs=(*KEYS, "yaml:train"))
def check(context: Context) -> Iterator[Hit]:
    """Written coefficients above zero where the model's router has a correction bias."""
    found = mixer(context)
    if found is None or found.router.correction == "none":
        return
    for scope in context.scopes:
        for key in KEYS:
            value = scope.real(key, default=False)
            if value:
                yield Hit(f"{key} {value:g} for a router that balances by a bias", scope.at(key), help="0, or no such key")
    loss = context.train.aux_loss
    if loss is not None and loss.coefficient:
        yield Hit(
            f"aux_loss.coefficient {loss.coefficient:g} for a router that balances by a bias",
            "/train/aux_loss/coefficient",
            file="xfcheck.yaml",
        )
