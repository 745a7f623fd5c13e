"""Training samples that never end.

## What it does
Warns where `train.add_eos` is false: nothing appends the end token to the samples.

## Why is this bad?
What is never a target is never predicted: the model runs to the length limit on every answer.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
train: {add_eos: false}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
train: {add_eos: true}
```

## Source
huggingface/trl#734.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF213", "eos-never-trained", "warning", needs=("recipe", "yaml:train"))
def check(context: Context) -> Iterator[Hit]:
    """The switch; masked language models have no end to learn."""
    yield from said(context, "XF213")
    model = context.model
    if (
        context.train.add_eos is False
        and context.train.loss != "masked"
        and (model is None or model.architecture.head.kind in ("causal", "seq2seq"))
    ):
        yield Hit(
            "nothing appends the end token to training samples",
            "/train/add_eos",
            help="true, or a template that ends with it",
            file="xfcheck.yaml",
        )
