"""More experts a token than its groups hold.

## What it does
Reports a number of experts a token above the experts of the groups that a token may choose from.

## Why is this bad?
The experts outside the chosen groups are masked. Asking for more than remain takes masked ones: transformers runs it silently and
picks experts whose score is minus infinity.

## Example
```json
{"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 96, "moe_intermediate_size": 32,
 "n_shared_experts": 1, "n_routed_experts": 8, "n_group": 2, "topk_group": 1, "num_experts_per_tok": 6,
 "first_k_dense_replace": 1, "kv_lora_rank": 16, "q_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8,
 "v_head_dim": 8, "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16"}
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
DeepSeek-AI 2024, arXiv 2412.19437, section 2.1.2; vllm-project/vllm#13474.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._routing import KEYS, routings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF504", "topk-exceeds-selected", "error", needs=(*KEYS, "n_group", "topk_group"))
def check(context: Context) -> Iterator[Hit]:
    """K <= topk_group * E / n_group; what XF501 or XF503 says of the same numbers is left to them."""
    for r in routings(context):
        if r.groups is None or r.groups_chosen is None or r.chosen is None or r.experts % r.groups or not 1 <= r.groups_chosen <= r.groups:
            continue
        left = r.groups_chosen * (r.experts // r.groups)
        if left < r.chosen <= r.experts:
            yield Hit(
                f"{r.chosen} experts a token, but {r.groups_chosen} of {r.groups} groups hold {left} of the {r.experts}",
                r.chosen_at,
                help=f"at most {left} experts a token, or more groups",
                related=(Related(f"{r.groups_chosen} groups a token", r.scope.at("topk_group")),),
            )
