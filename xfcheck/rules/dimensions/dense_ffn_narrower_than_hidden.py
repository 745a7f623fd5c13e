"""A feed-forward network narrower than the model.

## What it does
Reports a dense feed-forward width below the model width; never the width of an expert or of a shared expert.

## Why is this bad?
The feed-forward network expands: 4 times the width plain, 8 / 3 times gated. A smaller one is legal, and nearly always an expert's
width, a missing digit or two keys swapped.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 12, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
Vaswani et al. 2017, arXiv 1706.03762, section 3.3; Shazeer 2020, arXiv 2002.05202.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._names import first, read
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


@rule("XF120", "dense-ffn-narrower-than-hidden", "warning", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Widths of the model's MLPs that stand alone in their sublayer; of the keys where there is no model and no experts."""
    for scope in context.scopes:
        named = list(read(scope, "feed_forward"))
        for width, inner in sorted(pairs(context, scope)):
            at = next((key for key, value in named if value == inner), None)
            own = None if at is None or scope.table is None else scope.table.default(at)
            if 0 < inner < width and at is not None and scope.has(at) and inner != own:
                yield Hit(
                    f"the feed-forward width {inner} is below the model width {width}",
                    scope.at(at),
                    help=f"usually {8 * width // 3} (gated) to {4 * width}",
                    related=(Related(f"model width {width}", scope.at((first(scope, "width") or ("hidden_size", 0))[0])),),
                )


def pairs(context: Context, scope: Scope) -> set[tuple[int, int]]:
    """(model width, feed-forward width) of each dense network."""
    from ...architecture.mixers.mlp import MLP

    if context.of_model(scope) and context.model is not None:
        return {
            (m.input_size or stack.hidden_size, m.intermediate_size)
            for stack in context.stacks
            for block in stack.blocks
            for sublayer in block.sublayers
            for m in sublayer.mixers
            if isinstance(m, MLP) and len(sublayer.mixers) == 1
        }
    width, experts = first(scope, "width"), first(scope, "experts")
    if width is None or experts is not None:
        return set()
    return {(width[1], value) for _, value in read(scope, "feed_forward")}
