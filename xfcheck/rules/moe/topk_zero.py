"""No expert a token.

## What it does
Reports a number of experts a token below one, where there are at least two experts.

## Why is this bad?
No token reaches any expert: the layer adds nothing (or its shared experts alone), the experts' weights are never used, and the
model runs without a word.

## Example
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 0, "sliding_window": null}
```

## Use instead
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null}
```

## Source
transformers 5.24.0, which runs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._routing import KEYS, routings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF502", "topk-zero", "error", needs=KEYS)
def check(context: Context) -> Iterator[Hit]:
    """K >= 1."""
    for r in routings(context):
        if r.chosen is not None and r.chosen < 1:
            yield Hit(f"{r.chosen} experts a token: none of the {r.experts} is ever used", r.chosen_at, help=f"1 to {r.experts}")
