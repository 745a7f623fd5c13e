"""Groups of experts that cannot be formed.

## What it does
Reports a number of groups that does not divide the experts, more groups a token than there are, and groups too small for their
score: where it is the sum of the two best, a group has at least two experts. Null, 0 or 1 groups mean none.

## Why is this bad?
Group-limited routing reshapes the scores to groups x experts a group. A remainder fails in the first forward pass; groups of one
expert make the top-2 sum fail, or give minus infinity in fused kernels.

## Example
```json
{"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 96, "moe_intermediate_size": 32,
 "n_shared_experts": 1, "n_routed_experts": 8, "n_group": 3, "topk_group": 1, "num_experts_per_tok": 2,
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
DeepSeek-AI 2024, arXiv 2412.19437, section 2.1.2; huggingface/transformers#48647; huggingface/transformers#48649; vllm-
project/vllm#29439; alibaba/rtp-llm#1273.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ..dimensions._sizes import divisors
from ._routing import KEYS, routings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF503", "group-topology", "error", needs=(*KEYS, "n_group", "topk_group"))
def check(context: Context) -> Iterator[Hit]:
    """E % n_group, E / n_group, topk_group."""
    for r in routings(context):
        if r.groups is None:
            if r.scope.whole("n_group") == 1 and (r.groups_chosen or 0) > 1 and r.scope.has("topk_group"):
                yield Hit(f"{r.groups_chosen} groups a token of 1", r.scope.at("topk_group"), help="1")
            continue
        at, related = r.scope.at("n_group"), (Related(f"{r.experts} experts", r.experts_at),)
        if r.experts % r.groups:
            fitting = [n for n in divisors(r.experts) if r.experts // n >= r.scored]
            yield Hit(
                f"{r.experts} experts are not divisible by {r.groups} groups",
                at,
                help=f"one of {', '.join(map(str, fitting))}",
                related=related,
            )
        elif r.experts // r.groups < r.scored:
            each = r.experts // r.groups
            said = f"{r.experts} experts in {r.groups} groups are {each} a group, and a group's score is the sum of its {r.scored} best"
            yield Hit(said, at, help=f"at most {r.experts // r.scored} groups", related=related)
        if r.groups_chosen is not None and not 1 <= r.groups_chosen <= r.groups:
            yield Hit(f"{r.groups_chosen} groups a token of {r.groups}", r.scope.at("topk_group"), help=f"1 to {r.groups}")
