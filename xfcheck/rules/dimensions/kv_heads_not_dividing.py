"""Query heads that do not divide evenly among key-value heads.

## What it does
Reports `num_key_value_heads` that does not divide `num_attention_heads`.

## Why is this bad?
In grouped-query attention each key-value head serves the same number of query heads. A loader accepts the config and builds the
model; the first forward pass fails with a shape error, after the weights were loaded.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 3, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
Ainslie et al. 2023, arXiv 2305.13245, section 2.2; huggingface/transformers#48643; huggingface/transformers#48203; AI-
Hypercomputer/maxtext#1377.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._heads import heads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF104", "kv-heads-not-dividing", "error", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Hq % Hkv of each attention that has key-value heads; more of them than query heads is XF105."""
    for pair in heads(context):
        if pair.key_value < 1 or pair.query < pair.key_value or pair.query % pair.key_value == 0:
            continue
        fitting = [n for n in range(1, pair.query + 1) if pair.query % n == 0] if pair.query <= 4096 else []
        yield Hit(
            f"{pair.query} query heads are not a multiple of {pair.key_value} key-value heads (remainder {pair.query % pair.key_value})"
            + (", the class's own number" if pair.by_class else ""),
            pair.key_value_at,
            help=f"one of {', '.join(map(str, fitting))}" if fitting else None,
            related=(Related(f"{pair.query} query heads", pair.query_at),),
        )
