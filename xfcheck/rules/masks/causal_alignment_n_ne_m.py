"""A causal flag with as many queries as keys in mind.

## What it does
Reports an attention call with `is_causal` and fewer or more queries than keys, where the backend aligns the triangle at the top
left: PyTorch's SDPA. FlashAttention from 2.1 on, FlashInfer and MLX align it at the bottom right. Without a backend the call is
ambiguous, which is reported too.

## Why is this bad?
In a decoding step with a cache there are n queries and m keys, and query i is token m - n + i. Aligned at the top left the
first query sees the first key alone: the output is wrong and has the right shape.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
kernel: {backend: sdpa, is_causal: true, query_length: 2, key_length: 5}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
kernel: {backend: flash, is_causal: true, query_length: 2, key_length: 5}
```

## Source
pytorch/pytorch#108108; Dao-AILab/flash-attention#282; Dao-AILab/flash-attention#1778; ml-explore/mlx#2835.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


BOTTOM_RIGHT = ("flash", "flash_attention_2", "flash_attention_3", "flash_attention_4", "fa3", "flashinfer", "mlx", "aiter")


@rule("XF211", "causal-alignment-n-ne-m", "error", needs=("yaml:kernel",))
def check(context: Context) -> Iterator[Hit]:
    """Lengths that differ under a causal flag."""
    kernel = context.kernel
    queries, keys = kernel.query_length, kernel.key_length
    backend = kernel.backend.lower() if kernel.backend is not None else None
    if kernel.is_causal is not True or queries is None or keys is None or queries == keys or backend in BOTTOM_RIGHT:
        return
    first = "the first query sees the first key alone" if queries < keys else "the last queries see every key"
    where = (
        f"{backend} aligns the triangle at the top left"
        if backend is not None
        else "without a backend the alignment is open: at the top left"
    )
    yield Hit(
        f"is_causal with {queries} queries and {keys} keys: {where}, {first}",
        "/kernel/is_causal",
        help="torch.nn.attention.bias.causal_lower_right, or an explicit mask",
        file="xfcheck.yaml",
        related=(
            Related(f"{queries} queries", "/kernel/query_length", "xfcheck.yaml"),
            Related(f"{keys} keys", "/kernel/key_length", "xfcheck.yaml"),
        ),
    )
