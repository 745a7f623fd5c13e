"""More key-value heads than query heads.

## What it does
Reports a number of key-value heads above the number of query heads, also where the class fills it in.

## Why is this bad?
A group of queries cannot be smaller than one. The usual cause is a missing key: mistral and mixtral take 8 key-value heads, qwen2
and qwen3 take 32, whatever the number of query heads is. The model builds and the first forward pass fails.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 8, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
Ainslie et al. 2023, arXiv 2305.13245, section 2.2; transformers 5.24.0, models/mistral/configuration_mistral.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._heads import heads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF105", "kv-heads-exceed-heads", "error", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Hkv > Hq."""
    for pair in heads(context):
        if 0 < pair.query < pair.key_value:
            yield Hit(
                f"{pair.key_value} key-value heads for {pair.query} query heads"
                + (": num_key_value_heads is not written and the class fills it in" if pair.by_class else ""),
                pair.key_value_at,
                help=f"at most {pair.query}" if not pair.by_class else f'write "num_key_value_heads", at most {pair.query}',
                related=(Related(f"{pair.query} query heads", pair.query_at),),
            )
