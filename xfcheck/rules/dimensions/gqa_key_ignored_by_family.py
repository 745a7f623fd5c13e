"""A number of key-value heads that the family ignores.

## What it does
Reports a number of key-value heads other than 1 and other than the query heads in a class that takes another: falcon with
`multi_query` and the old decoder, and classes that read no such key at all.

## Why is this bad?
The author expects grouped-query attention and its cache; the model has one key-value head, or as many as query heads, whatever the
key says.

## Example
```json
{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64,
 "vocab_size": 96, "bos_token_id": 1, "eos_token_id": 2, "torch_dtype": "bfloat16", "num_key_value_heads": 2}
```

## Use instead
```json
{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64,
 "vocab_size": 96, "bos_token_id": 1, "eos_token_id": 2, "torch_dtype": "bfloat16"}
```

## Source
Ainslie et al. 2023, arXiv 2305.13245; transformers 5.24.0, models/falcon/modeling_falcon.py (a cache of 1 head).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._names import DIMENSIONS, declared, first
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


KEYS = DIMENSIONS["kv_heads"].names


@rule("XF116", "gqa-key-ignored-by-family", "warning", needs=KEYS)
def check(context: Context) -> Iterator[Hit]:
    """The written number of key-value heads against what the class does with it."""
    for scope in context.scopes:
        if scope.table is None:
            continue
        for key in (k for k in KEYS if k in scope.data):
            value, heads = scope.whole(key), first(scope, "heads")
            if value is None or heads is None or value in (1, heads[1]) or value in built(context, scope):
                continue
            reason = ignored(scope, key)
            if reason is not None:
                yield Hit(f"{key} {value} has no effect: {reason[0]}", scope.at(key), help=reason[1])


def built(context: Context, scope: Scope) -> set[int]:
    """The numbers of key-value heads that the model has; a class may keep the key elsewhere (dbrx)."""
    return {m.kv_heads for _, m in context.attentions} if context.of_model(scope) else set()


def ignored(scope: Scope, key: str) -> tuple[str, str | None] | None:
    """(why the class ignores the key, what would make it count); null where it reads it."""
    if key == "num_kv_heads" and scope.model_type == "falcon":
        if scope.boolean("new_decoder_architecture") or not scope.boolean("multi_query"):
            return None
        return "multi_query is true and the decoder the old one, there is one key-value head", '"new_decoder_architecture": true'
    if scope.table is None or scope.table.accepts(key) or declared(scope.table, "kv_heads"):
        return None
    return f"{scope.table.class_name} has as many key-value heads as query heads", None
