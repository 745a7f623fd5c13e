"""A key that the class declares and the model does not use.

## What it does
Says which written sizes and flags change nothing in this model: a feed-forward width where every layer has experts, a head width or
key-value heads under latent attention, a tie flag in a class that always ties, fields that no source of the model reads.

## Why is this bad?
Nothing is broken, but whoever edits the key waits for an effect, and whoever counts by it counts wrong.

## Example
```json
{"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 96, "moe_intermediate_size": 32,
 "n_shared_experts": 1, "n_routed_experts": 8, "n_group": 2, "topk_group": 1, "num_experts_per_tok": 2,
 "first_k_dense_replace": 1, "kv_lora_rank": 16, "q_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8,
 "v_head_dim": 8, "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16", "head_dim": 64}
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
transformers 5.24.0, the modeling files of each class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...documents.document import escape
from .._finding import Hit
from .._names import OF
from .._registry import rule
from ._heads import latent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


SIZES = frozenset(("kv_heads", "head_dim", "latent", "feed_forward", "expert_width"))
FLAGS = frozenset(
    [
        "tie_word_embeddings",
        "attention_bias",
        "mlp_bias",
        "n_shared_experts",
        "num_shared_experts",
        "num_nextn_predict_layers",
        "num_mtp_layers",
    ]
)


@rule("XF122", "key-without-effect", "info", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Declared keys that no source mentions, and sizes and flags that were not asked for while the architecture was made."""
    for scope in context.nested:
        if scope.table is None:
            continue
        for key, value in scope.data.items():
            declared = scope.table.canonical(key)
            unread = declared in scope.table.unread and value != scope.table.default(key)
            if value is not None and scope.table.accepts(key) and (unread or unasked(context, scope, key)):
                yield Hit(f"{key} changes nothing in this {scope.model_type}", f"{scope.pointer}/{escape(key)}", key=True)


def unasked(context: Context, scope: Scope, key: str) -> bool:
    """Whether a key that usually moves a number was not looked at for this model."""
    if not (OF.get(key) in SIZES or key in FLAGS) or context.model is None or not context.of_model(scope):
        return False
    if OF.get(key) == "kv_heads" and latent(scope):
        return False  # it must still be the number of query heads: XF125
    asked = context.model.settings.reading.asked
    return not any(f"{scope.pointer}/{name}" in asked for name in scope.spellings(key))
