"""A model width that its heads do not divide.

## What it does
Reports a hidden size that is not a multiple of the number of query heads, where the head width is left to their quotient: no
`head_dim` (or `d_kv`) in the file, none by class, no latent attention.

## Why is this bad?
Each head gets hidden_size / heads columns. Some classes refuse the remainder, others round down and build projections that fit
nothing: the first forward pass fails with a shape error, or the model has another width than the one trained.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 66, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
Vaswani et al. 2017, arXiv 1706.03762, section 3.2.2; huggingface/transformers#46211; rasbt/LLMs-from-scratch#444.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._names import LARGEST, first, read
from .._registry import rule
from ._heads import latent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


@rule("XF102", "hidden-not-divisible-by-heads", "error", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Width % heads of each config object whose head width is their quotient."""
    for scope in context.nested:
        width = first(scope, "width")
        if scope.table is None or width is None or own_width(context, scope):
            continue
        for key, heads in read(scope, "heads"):
            # a number that is no size at all has its own finding (XF118)
            if 0 < heads <= LARGEST and width[1] > 0 and width[1] % heads:
                yield Hit(
                    f"{width[0]} {width[1]} is not divisible by {heads} heads (remainder {width[1] % heads}), and no head width is given",
                    scope.at(key),
                    help=advice(scope, key, width[1], heads),
                    related=(Related(f"{width[0]} {width[1]}", scope.at(width[0])),),
                )


def own_width(context: Context, scope: Scope) -> bool:
    """Whether the head width is more than a quotient: given, of the class, latent, or read otherwise by the family."""
    if latent(scope) or any(value is not None for _, value in read(scope, "head_dim")):
        return True
    if not context.of_model(scope):
        return False
    # a model could be built: only a quotient rounded down is wrong
    return all(m.query_heads == 0 or m.head_dim != (m.input_size or width) // m.query_heads for width, m in context.attentions)


def advice(scope: Scope, key: str, width: int, heads: int) -> str:
    """What would be right: a neighbour that divides, or the two counts the other way round."""
    depth = first(scope, "depth")
    if depth is not None and depth[1] > 0 and width % depth[1] == 0 and depth[1] != heads <= width:
        return f"{depth[0]} {depth[1]} divides {width}: were the number of layers and the number of heads swapped?"
    below = next(n for n in range(min(heads, width), 0, -1) if width % n == 0)
    above = next((n for n in range(heads, min(width, 4 * heads) + 1) if width % n == 0), None)
    return f"{key} {below}" + (f" or {above}" if above is not None and above != below else "") + ", or a head_dim"
