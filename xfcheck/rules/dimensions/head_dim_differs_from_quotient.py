"""A head width of its own.

## What it does
Says the width of the queries and the shape of the output projection where heads x head_dim is not the hidden size.

## Why is this bad?
It is legal and common (Qwen3, Gemma, Mistral-Nemo). Tools that take hidden_size / heads for the head width get the cache, the
projections and the FLOPs wrong, so the numbers are worth a line.

## Example
```json
{"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "head_dim": 16}
```

## Use instead
```json
{"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "head_dim": 8}
```

## Source
MiniMax-AI/MiniMax-01#29; SafeAILab/EAGLE#223; pytorch/torchtitan#3570; aws-neuron/neuronx-distributed-inference#9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._names import first
from .._registry import rule
from ._heads import latent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


@rule("XF103", "head-dim-differs-from-quotient", "info", needs=("model_type",), on=True)
def check(context: Context) -> Iterator[Hit]:
    """Heads * head_dim against the width, of the model's attentions or of the keys."""
    for scope in context.nested:
        for width, heads, head_dim in sorted(shapes(context, scope)):
            query = heads * head_dim
            if query != width:
                named = first(scope, "head_dim")
                at = scope.at(named[0]) if named is not None else scope.at("num_attention_heads")
                yield Hit(
                    f"the queries are {query} wide ({heads} heads of {head_dim}), the model {width}: "
                    f"the output projection maps {query} to {width}",
                    at,
                )


def shapes(context: Context, scope: Scope) -> set[tuple[int, int, int]]:
    """(width, heads, head width) of each attention."""
    if context.of_model(scope):
        return {(m.input_size or width, m.query_heads, m.head_dim) for width, m in context.attentions}
    width, heads, head_dim = first(scope, "width"), first(scope, "heads"), first(scope, "head_dim")
    if width is None or heads is None or head_dim is None or latent(scope) or min(heads[1], head_dim[1]) < 1:
        return set()
    return {(width[1], heads[1], head_dim[1])}
