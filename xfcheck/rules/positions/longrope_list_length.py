"""A longrope list of the wrong length.

## What it does
Reports `short_factor` or `long_factor` that does not have one number for each pair of rotated dimensions.

## Why is this bad?
Each number scales the frequency of one pair. A list of another length is logged while the config loads and fails when the model
is built, or in the first forward pass.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "longrope",
 "factor": 2.0, "original_max_position_embeddings": 32, "short_factor": [1.0, 1.0, 1.0], "long_factor": [4.0, 4.0, 4.0, 4.0,
 4.0, 4.0, 4.0, 4.0]}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "longrope",
 "factor": 2.0, "original_max_position_embeddings": 32, "short_factor": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
 "long_factor": [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0]}}
```

## Source
Ding et al. 2024, arXiv 2402.13753; keras-team/keras-hub#2272; transformers 5.24.0, modeling_rope_utils.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._rope import blocks, widths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF311", "longrope-list-length", "error", needs=("short_factor", "long_factor"))
def check(context: Context) -> Iterator[Hit]:
    """len(short) = len(long) = rotated dimensions / 2."""
    for block in blocks(context):
        turned = widths(context, block)
        for key in ("short_factor", "long_factor"):
            value = block.data.get(key)
            if block.type != "longrope" or value is None or not turned:
                continue
            if not isinstance(value, list) or any(isinstance(x, bool) or not isinstance(x, int | float) for x in value):
                yield Hit(f"{key} is no list of numbers", f"{block.at}/{key}")
            elif len(value) not in {width // 2 for width in turned}:
                wanted = " or ".join(str(width // 2) for width in sorted(turned))
                yield Hit(
                    f"{key} has {len(value)} entries for {' or '.join(map(str, sorted(turned)))} rotated dimensions a head",
                    f"{block.at}/{key}",
                    help=f"{wanted} entries, one a pair",
                )
