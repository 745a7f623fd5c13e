"""A mask that rules the flash kernel out.

## What it does
An info where a call passes an explicit mask.

## Why is this bad?
FlashAttention has arguments for causal and windowed masks, none for a tensor: PyTorch then picks the memory-efficient kernel or
the plain one.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
kernel: {backend: sdpa, explicit_mask: true}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
kernel: {backend: sdpa, is_causal: true}
```

## Source
intel/torch-xpu-ops#2390; Dao 2023, arXiv 2307.08691.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


TAKES = ("flex", "flex_attention", "eager", "math", "efficient", "xformers")
"""Backends that take a mask as it is."""


@rule("XF805", "mask-blocks-flash", "info", needs=("yaml:kernel",))
def check(context: Context) -> Iterator[Hit]:
    """The mask argument."""
    kernel = context.kernel
    if kernel.explicit_mask is True and (kernel.backend or "sdpa").lower() not in TAKES:
        yield Hit(
            "an explicit mask rules the flash kernel out",
            "/kernel/explicit_mask",
            help="is_causal and no mask, or variable lengths",
            file="xfcheck.yaml",
        )
