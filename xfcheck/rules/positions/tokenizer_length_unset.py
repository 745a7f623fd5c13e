"""A tokenizer that never cuts.

## What it does
Warns where tokenizer_config.json has no `model_max_length`, or one beyond a million, and the model has a table of learned
positions; an info for rotary positions.

## Why is this bad?
The number beyond all sizes is a placeholder: truncation is asked for and does nothing. A learned table has no row for the next
token, which ends in an index error, on a GPU in an assertion without a place.

## Example
```json
{"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64, "layer_norm_eps": 1e-12,
 "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```json tokenizer_config.json
{"tokenizer_class": "BertTokenizer", "model_max_length": 1000000000000000019884624838656}
```

## Use instead
```json
{"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64, "layer_norm_eps": 1e-12,
 "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```json tokenizer_config.json
{"tokenizer_class": "BertTokenizer", "model_max_length": 64}
```

## Source
QwenLM/Qwen3#342; huggingface/transformers#16186; cardiffnlp/tweeteval#17.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._mechanisms import reach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


FILE = "tokenizer_config.json"
PLACEHOLDER = 1_000_000
"""A limit beyond this is none."""


@rule("XF316", "tokenizer-length-unset", "warning", needs=(f"file:{FILE}",))
def check(context: Context) -> Iterator[Hit]:
    """The tokenizer's limit, where the model has one."""
    data, bound = context.side(FILE), reach(context)
    if not isinstance(data, dict) or bound is None:
        return
    limit = data.get("model_max_length")
    number = isinstance(limit, int | float) and not isinstance(limit, bool)
    if limit is not None and (not number or limit <= PLACEHOLDER):
        return
    learned = bound.kind == "learned"
    yield Hit(
        ("model_max_length is a placeholder" if number else f"{FILE} has no model_max_length")
        + f": nothing cuts at {bound.tokens:,} tokens",
        "/model_max_length" if number else "",
        help=f'"model_max_length": {bound.tokens}',
        severity=None if learned else "info",
        file=FILE,
    )
