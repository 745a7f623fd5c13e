"""A vocabulary that has grown after training.

## What it does
Says that the vocabulary is a little larger than the class's own (32002 for 32000) while the head is a matrix of its own.

## Why is this bad?
Rows added for new tokens are random in both matrices until they are trained. An untied head needs its rows checked as well as the
table's.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 32002, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 32000, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
huggingface/transformers#45079.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._names import first
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


GROWN = 256
"""Rows that a tokenizer's added tokens may be; more is another vocabulary."""


@rule("XF414", "head-resized", "info", needs=("vocab_size",))
def check(context: Context) -> Iterator[Hit]:
    """Rows above the class's own number, few of them, and an untied head."""
    model = context.model
    if model is None or model.architecture.head.tied or model.architecture.head.rows == 0:
        return
    for scope in context.scopes:
        rows = first(scope, "vocabulary")
        own = None if scope.table is None or rows is None else scope.table.default(rows[0])
        if rows is not None and isinstance(own, int) and 0 < rows[1] - own <= GROWN:
            yield Hit(
                f"{rows[1]} rows, {rows[1] - own} more than the {own} of {scope.model_type}: those of the untied head need training too",
                scope.at(rows[0]),
            )
