"""A window of no tokens.

## What it does
Reports a window below 1 in a class that reads it.

## Why is this bad?
A window counts the tokens a query sees, itself included. With 0 a row of the mask has no key and the cache keeps a slice of no
meaning: the forward pass fails on sizes, or gives NaN.

## Example
```json
{"model_type": "mistral", "architectures": ["MistralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "sliding_window": 0}
```

## Use instead
```json
{"model_type": "mistral", "architectures": ["MistralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "sliding_window": null}
```

## Source
Beltagy et al. 2020, arXiv 2004.05150, section 3.1; transformers 5.24.0, cache_utils.py (`DynamicSlidingWindowLayer`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Edit, Fix, Hit
from .._registry import rule
from ._windows import KEYS, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF322", "sliding-window-not-positive", "error", needs=KEYS)
def check(context: Context) -> Iterator[Hit]:
    """Each window of the file, unless a switch takes it away or the class itself has that value."""
    for scope in context.scopes:
        if scope.boolean("use_sliding_window") is False or scope.table is None:
            continue
        for key in declared(scope):
            value, at = scope.value(key, default=False), scope.at(key)
            numbers = value if isinstance(value, list) else [value]
            wrong = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and n < 1]
            if wrong and value != scope.table.default(key):
                null = "null" in scope.table.types(key) and not isinstance(value, list)
                fix = Fix("write null: no window", (Edit("set", at, None),), safe=False) if null else None
                yield Hit(f"{key} is {wrong[0]}, at least 1 token is needed", at, help="null for no window" if null else None, fix=fix)
