"""The length at which longrope switches its factors.

## What it does
An info that names the original length of longrope: up to it the short factors hold, beyond it the long ones.

## Why is this bad?
The switch changes the frequencies of all positions. Keys cached before it were turned by the others: results change when a
conversation crosses that length, and runtimes that use one table at every length are wrong on one side.

## Example
```json
{"model_type": "phi3", "architectures": ["Phi3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
 "original_max_position_embeddings": 32, "rope_scaling": {"type": "longrope", "short_factor": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
 1.0, 1.0], "long_factor": [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0]}}
```

## Use instead
```json
{"model_type": "phi3", "architectures": ["Phi3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
```

## Source
lablup/mlxcel#1358; Ding et al. 2024, arXiv 2402.13753; transformers 5.24.0, modeling_rope_utils.py
(`longrope_frequency_update`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._rope import ORIGINAL, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF326", "longrope-regime-switch", "info", needs=("short_factor", "long_factor"))
def check(context: Context) -> Iterator[Hit]:
    """The original length of each longrope block whose two lists differ."""
    for block in blocks(context):
        length = block.scope.whole(ORIGINAL) or block.number(ORIGINAL)
        if block.type == "longrope" and length and block.data.get("short_factor") != block.data.get("long_factor"):
            yield Hit(
                f"longrope switches from short to long factors beyond {length:,.0f} tokens: keys cached before are stale then", block.at
            )
