"""Key-value heads beside latent attention that are not the query heads.

## What it does
Reports `num_key_value_heads` other than the number of query heads in a class with latent attention: an error where the reference's
first forward pass fails, else a warning.

## Why is this bad?
Latent attention expands its latent to every query head; the key alters no weight. transformers still repeats the expanded heads Hq
/ Hkv times, so half as many key-value heads end in a shape error. Tools that believe the key give a cache that does not exist.

## Example
```json
{"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "moe_intermediate_size": 32,
 "n_shared_experts": 1, "n_routed_experts": 8, "n_group": 2, "topk_group": 1, "num_experts_per_tok": 2,
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
DeepSeek-AI 2024, arXiv 2405.04434, section 2.1; transformers 5.24.0, models/deepseek_v3/modeling_deepseek_v3.py, run with 1, 2, 3
and 8 of 4 heads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._names import first
from .._registry import rule
from ._heads import latent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF125", "kv-heads-under-latent-attention", "error", needs=("kv_lora_rank",))
def check(context: Context) -> Iterator[Hit]:
    """Hkv == Hq, or the key left out where the class fills in the same."""
    for scope in context.scopes:
        heads, groups = first(scope, "heads"), scope.whole("num_key_value_heads")
        if not latent(scope) or heads is None or groups is None or groups < 1 or heads[1] < 1 or groups == heads[1]:
            continue
        written = scope.has("num_key_value_heads")
        fails = heads[1] // groups > 1
        said = "the first forward pass of transformers fails" if fails else "it has no effect"
        yield Hit(
            f"{groups} key-value heads"
            + ("" if written else ", the class's own number,")
            + f" for {heads[1]} query heads under latent attention: {said}",
            scope.at("num_key_value_heads") if written else scope.at(heads[0]),
            help=f'"num_key_value_heads": {heads[1]}',
            severity=None if fails else "warning",
            related=(Related(f"{heads[1]} query heads", scope.at(heads[0])),),
        )
