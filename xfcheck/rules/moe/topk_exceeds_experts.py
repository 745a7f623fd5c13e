"""More experts a token than there are.

## What it does
Reports a number of experts a token above the number of experts, where there are at least two.

## Why is this bad?
The choice of the k best of fewer than k experts fails in the first forward pass; the config loads and the model builds.

## Example
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 8, "sliding_window": null}
```

## Use instead
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null}
```

## Source
Shazeer et al. 2017, arXiv 1701.06538, section 2; transformers 5.24.0: config and meta build pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._routing import KEYS, routings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF501", "topk-exceeds-experts", "error", needs=KEYS)
def check(context: Context) -> Iterator[Hit]:
    """K <= E."""
    for r in routings(context):
        if r.chosen is not None and r.chosen > r.experts:
            related = (Related(f"{r.experts} experts", r.experts_at),)
            yield Hit(f"{r.chosen} experts a token of {r.experts}", r.chosen_at, help=f"at most {r.experts}", related=related)
