"""Rows of the vocabulary that no token uses.

## What it does
Says how many rows the embedding table has beyond the tokenizer's tokens, which ids they are, and how many parameters they hold. That is
legal: tables are padded so that kernels and parallel ranks divide them evenly.

## Why is this bad?
It is not bad; it is the most asked question. Logits are as wide as the table, not as the tokenizer: a mask or a metric of the
tokenizer's width does not fit, and a sampled padding id decodes to nothing.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 8, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```json tokenizer.json
{"model": {"type": "BPE", "vocab": {"a": 0, "<s>": 1, "</s>": 2, "b": 3}}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 4, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```json tokenizer.json
{"model": {"type": "BPE", "vocab": {"a": 0, "<s>": 1, "</s>": 2, "b": 3}}}
```

## Source
QwenLM/Qwen3#1247; ai4sd/number-token-loss#19; facebookresearch/metaseq#469.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.tokenizer import tokenizer_of
from .._finding import Hit
from .._registry import rule
from ._ids import TOKENIZER, embedding_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF602", "vocab-padding", "info", needs=TOKENIZER, on=True)
def check(context: Context) -> Iterator[Hit]:
    """Rows minus tokenizer length, where the whole vocabulary is at hand."""
    length, built = tokenizer_of(context.folder).length, embedding_rows(context)
    if length is None or built is None or built[0] <= length:
        return
    rows, pointer = built
    spare = rows - length
    model = context.model
    # the table and an untied head: whatever has one row a token
    tables = [r for r in ([] if model is None else model.rows) if r.counted and r.role.component in ("token_embedding", "head")]
    held = sum(row.elements // rows * spare for row in tables if row.shape[:1] == (rows,))
    cost = f", {held:,} parameters" if held else ""
    yield Hit(
        f"{spare} of {rows} vocabulary rows are padding (ids {length} to {rows - 1}): the tokenizer has {length} tokens{cost}",
        pointer,
        help="these ids must never be sampled; logits have the width of vocab_size, not of the tokenizer",
    )
