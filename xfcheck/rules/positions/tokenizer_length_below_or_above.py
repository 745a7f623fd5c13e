"""A tokenizer that cuts too early or too late.

## What it does
Warns of a tokenizer limit below the training length, and above the rows of a learned table; above the reach of rotary positions
is an info.

## Why is this bad?
Below: longer samples are cut without a word, the end of the sequence is never trained. Above: what is not cut has no position.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}
```
```json tokenizer_config.json
{"model_max_length": 16}
```
```yaml
train: {sequence_length: 64}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}
```
```json tokenizer_config.json
{"model_max_length": 64}
```
```yaml
train: {sequence_length: 64}
```

## Source
axolotl-ai-cloud/axolotl#1749; huggingface/transformers#16186.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._mechanisms import reach
from .tokenizer_length_unset import FILE, PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF317", "tokenizer-length-below-or-above", "warning", needs=(f"file:{FILE}",))
def check(context: Context) -> Iterator[Hit]:
    """The tokenizer's limit against the training length and the model's reach."""
    data = context.side(FILE)
    limit = data.get("model_max_length") if isinstance(data, dict) else None
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit <= PLACEHOLDER:
        return
    train, bound, at = context.train.sequence_length, reach(context), "/model_max_length"
    if train is not None and limit < train:
        yield Hit(
            f"the tokenizer cuts at {limit:,.0f} tokens, training sequences have {train:,}: the rest is lost without a word",
            at,
            help=f"model_max_length {train}, or a limit given with the data",
            file=FILE,
            related=(Related(f"sequence_length {train}", "/train/sequence_length", "xfcheck.yaml"),),
        )
    if bound is not None and limit > bound.tokens:
        yield Hit(
            f"the tokenizer cuts at {limit:,.0f} tokens, the model has {bound.tokens:,} positions",
            at,
            help=f'"model_max_length": {bound.tokens}',
            severity=None if bound.kind == "learned" else "info",
            file=FILE,
            related=(Related(f"{bound.rows:,} positions", bound.at),),
        )
