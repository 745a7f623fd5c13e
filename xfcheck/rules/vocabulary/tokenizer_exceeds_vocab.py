"""Tokens that the embedding table has no row for.

## What it does
Compares the highest token id, of the trained vocabulary and of the added tokens, with the rows of the embedding table that the config
builds, and names the tokens beyond them.

## Why is this bad?
Looking up such a token is out of range: an assertion deep in a GPU kernel, or garbage. It shows only when the token occurs, often
long after training began.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 4, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```json tokenizer.json
{"model": {"type": "BPE", "vocab": {"a": 0, "<s>": 1, "</s>": 2, "b": 3}}, "added_tokens": [{"id": 4, "content": "<tool>"}]}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 5, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```json tokenizer.json
{"model": {"type": "BPE", "vocab": {"a": 0, "<s>": 1, "</s>": 2, "b": 3}}, "added_tokens": [{"id": 4, "content": "<tool>"}]}
```

## Source
huggingface/transformers#26714, #27053; OpenNMT/CTranslate2#1618, #1588; pytorch/torchtitan#1495.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.tokenizer import tokenizer_of
from .._finding import Hit
from .._registry import rule
from ._ids import TOKENIZER, embedding_rows, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF601", "tokenizer-exceeds-vocab", "error", needs=TOKENIZER)
def check(context: Context) -> Iterator[Hit]:
    """The highest id of any file against the rows built."""
    tokenizer, built = tokenizer_of(context.folder), embedding_rows(context)
    highest = tokenizer.highest
    if built is None or highest is None or highest < built[0]:
        return
    rows, pointer = built
    beyond = sorted(i for i in tokenizer.added if i >= rows)
    first = beyond[0] if beyond and (tokenizer.base or 0) <= rows else rows
    yield Hit(
        f"token ids reach {highest}, the table has {rows} rows (0 to {rows - 1}): id {first}, {shown(tokenizer.name(first))}, has none",
        pointer,
        help=f"vocab_size at least {highest + 1}, with embedding rows to match, or a tokenizer without these tokens",
    )
