"""How groups of experts are scored.

## What it does
Says how many scores make a group's, and how many experts of each chosen group a token gets on average.

## Why is this bad?
In DeepSeek-V3 a group's score is the sum of its two best, in DeepSeek-V2 the best alone. k / topk_group may be another number:
nothing requires them to agree.

## Example
```json
{"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 96, "moe_intermediate_size": 32,
 "n_shared_experts": 1, "n_routed_experts": 8, "n_group": 2, "topk_group": 1, "num_experts_per_tok": 2,
 "first_k_dense_replace": 1, "kv_lora_rank": 16, "q_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8,
 "v_head_dim": 8, "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null}
```

## Source
DeepSeek-AI 2024, arXiv 2412.19437, section 2.1.2; NVIDIA/Megatron-LM#1441.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._routing import KEYS, routings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF514", "group-score-k", "info", needs=(*KEYS, "n_group", "topk_group"))
def check(context: Context) -> Iterator[Hit]:
    """The score's k beside k / topk_group."""
    for r in routings(context):
        if r.groups is not None and r.groups_chosen and r.chosen:
            score = f"sum of the {r.scored} best" if r.scored > 1 else "best"
            yield Hit(
                f"a group's score is the {score} of its {r.experts // r.groups} experts; "
                f"{r.chosen} / {r.groups_chosen} = {r.chosen / r.groups_chosen:g} are chosen a group",
                r.scope.at("topk_group"),
            )
