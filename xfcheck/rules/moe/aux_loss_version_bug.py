"""A balancing loss that some releases compute wrongly.

## What it does
Names the releases of transformers whose routers hand probabilities to the load-balancing loss, for the model types concerned when
the loss is on.

## Why is this bad?
The loss applies its own softmax, so these releases take the softmax of a softmax: nearly uniform whatever the routing, and without
a push. With uniform routing the right loss is k before its coefficient (Mixtral's form).

## Example
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null,
 "output_router_logits": true, "router_aux_loss_coef": 0.02}
```

## Use instead
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null,
 "output_router_logits": false, "router_aux_loss_coef": 0.0}
```

## Source
huggingface/transformers#45111; huggingface/transformers#45120; huggingface/transformers#45131; huggingface/transformers#39055.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


TYPES = frozenset(
    [
        "mixtral",
        "minimax",
        "qwen2_moe",
        "olmoe",
        "flex_olmo",
        "qwen3_moe",
        "qwen3_next",
        "qwen3_omni_moe_text",
        "qwen3_omni_moe_talker_text",
        "qwen3_vl_moe_text",
        "qwen3_5_moe_text",
        "qwen3_5_moe",
        "dbrx",
    ]
)


@rule("XF509", "aux-loss-version-bug", "info", needs=("output_router_logits",))
def check(context: Context) -> Iterator[Hit]:
    """The loss on, in a type whose router was concerned, unless the training names a release from before (4.x) for all but dbrx."""
    release = context.train.transformers
    for scope in context.scopes:
        if not scope.boolean("output_router_logits") or scope.model_type not in TYPES:
            continue
        if isinstance(release, str) and release.startswith("4.") and scope.model_type != "dbrx":
            continue
        k = scope.whole("num_experts_per_tok")
        yield Hit(
            f"the balancing loss of {scope.model_type} is a softmax of a softmax in transformers 5 before the correction of April 2026",
            scope.at("output_router_logits"),
            help=f"train with a later release; at uniform routing the loss is {k} before its coefficient"
            if k
            else "train with a later release",
        )
