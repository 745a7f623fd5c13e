"""Query heads that do not divide evenly among key-value heads.

## What it does
Reports `num_key_value_heads` that does not divide `num_attention_heads`.

## Why is this bad?
In grouped-query attention each key-value head serves the same number of query heads. A loader accepts the config and builds
the model; the first forward pass fails with a shape error, after the weights were loaded.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8,
 "num_key_value_heads": 3, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-5, "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8,
 "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-5, "torch_dtype": "bfloat16"}
```

## Source
Ainslie et al. 2023, arXiv 2305.13245, section 2.2; huggingface/transformers#48643.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF104", "kv-heads-not-dividing", "error", needs=("num_key_value_heads", "num_attention_heads"))
def check(context: Context) -> Iterator[Hit]:
    """Hq % Hkv, where both are whole numbers and latent attention does not make the KV heads meaningless."""
    for c in context.scopes:
        heads, groups = c.whole("num_attention_heads"), c.whole("num_key_value_heads")
        if heads is None or groups is None or heads < 1 or groups < 1 or groups > heads or heads % groups == 0 or c.whole("kv_lora_rank"):
            continue
        fitting = [n for n in range(1, heads + 1) if heads % n == 0] if heads <= 4096 else []
        yield Hit(
            f"{heads} query heads are not divisible by {groups} key-value heads",
            c.at("num_key_value_heads"),
            help=f"one of {', '.join(map(str, fitting))}" if fitting else None,
            related=(Related(f"{heads} query heads", c.at("num_attention_heads")),),
        )
