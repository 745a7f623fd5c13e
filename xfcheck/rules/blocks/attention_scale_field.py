"""A score scale that is not the head width's.

## What it does
Says the scale of the attention scores where `query_pre_attn_scalar` is not the head width, the class default included.

## Why is this bad?
The scores are divided by its square root. gemma's default of 256 stays 256 when a smaller head width is written, so a shrunk model
attends flatter than its parent.

## Example
```json
{"model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-06,
 "torch_dtype": "bfloat16", "head_dim": 8, "query_pre_attn_scalar": 256, "sliding_window": 32, "max_position_embeddings": 64}
```

## Use instead
```json
{"model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-06,
 "torch_dtype": "bfloat16", "head_dim": 8, "query_pre_attn_scalar": 8, "sliding_window": 32, "max_position_embeddings": 64}
```

## Source
Gemma Team 2024, arXiv 2408.00118; transformers 5.24.0, models/gemma2/configuration_gemma2.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._names import first
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF415", "attention-scale-field", "info", needs=("query_pre_attn_scalar", "head_dim"))
def check(context: Context) -> Iterator[Hit]:
    """query_pre_attn_scalar against the head width of each language model."""
    for scope in context.scopes:
        scalar, width = scope.real("query_pre_attn_scalar"), first(scope, "head_dim")
        if scalar is not None and width is not None and scalar > 0 and scalar != width[1]:
            by = "" if scope.has("query_pre_attn_scalar") else f" (class default of {scope.model_type})"
            yield Hit(f"scores are scaled by {scalar:g} ** -0.5{by}, the head width is {width[1]}", scope.at("query_pre_attn_scalar"))
