"""The number of experts under another family's name.

## What it does
Reports `num_experts`, `n_routed_experts`, `num_local_experts` or a name of the experts a token that the class does not read, while
its own name of the same number is absent.

## Why is this bad?
Each family has one spelling (and some accept a second). Under another the number is ignored and the class's own is built.

## Example
```json
{"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_experts_per_tok": 2, "moe_intermediate_size": 32, "head_dim": 8, "n_routed_experts": 4}
```

## Use instead
```json
{"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "head_dim": 8}
```

## Source
PrimeIntellect-ai/prime-rl#2868; transformers 5.24.0, the `attribute_map` of each class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...documents.document import escape
from .._finding import Edit, Fix, Hit
from .._names import DIMENSIONS, declared
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


NAMED = ("experts", "experts_per_token")


@rule("XF515", "expert-key-alias", "warning", needs=tuple(name for dimension in NAMED for name in DIMENSIONS[dimension].names))
def check(context: Context) -> Iterator[Hit]:
    """Foreign names where the own one is not in the file."""
    for scope in context.nested:
        for dimension in NAMED:
            own = [] if scope.table is None else declared(scope.table, dimension)
            if scope.table is None or not own or any(scope.has(name) for name in own):
                continue
            for key in DIMENSIONS[dimension].names:
                if key in scope.data and not scope.table.accepts(key):
                    at = f"{scope.pointer}/{escape(key)}"
                    taken = scope.table.default(own[0])
                    yield Hit(
                        f"{scope.table.class_name} does not read {key}: "
                        f"its {DIMENSIONS[dimension].label} is {own[0]}, taken from the class ({taken})",
                        at,
                        help=f'rename it to "{own[0]}"',
                        fix=Fix(f"rename it to {own[0]}", (Edit("rename", at, own[0]),)),
                        key=True,
                    )
                    break
