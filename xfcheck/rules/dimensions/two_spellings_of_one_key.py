"""One number under two names.

## What it does
Warns of two spellings of one key with different values in one object, and says which one wins; equal values are an info.

## Why is this bad?
A class keeps one value and an alias for it. The name that the class does not declare is set last and wins, whatever the order in
the file; tools that read the other see another model.

## Example
```json
{"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "head_dim": 8,
 "num_local_experts": 8}
```

## Use instead
```json
{"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "head_dim": 8}
```

## Source
transformers 5.24.0, configuration_utils.py: keyword arguments beyond the declared fields are set after them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF123", "two-spellings-of-one-key", "warning", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """The spellings of each declared key that stand in the same object."""
    for scope in context.nested:
        for key in () if scope.table is None or not scope.table.aliases else scope.table.fields:
            present = [name for name in scope.spellings(key) if name in scope.data]
            if len(present) < 2:
                continue
            winner, *others = present
            for other in others:
                same = scope.data[other] == scope.data[winner]
                yield Hit(
                    f"{other} and {winner} are one key of {scope.model_type}"
                    + ("" if same else f": {winner} {scope.data[winner]!r} wins over {other} {scope.data[other]!r}"),
                    f"{scope.pointer}/{other}",
                    help=f"{key} alone",
                    severity="info" if same else None,
                    related=(Related(f"{winner} {scope.data[winner]!r}"[:80], f"{scope.pointer}/{winner}"),),
                )
