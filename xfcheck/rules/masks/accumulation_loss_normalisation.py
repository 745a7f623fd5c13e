"""Accumulated batches whose losses are averaged twice.

## What it does
Reports `gradient_accumulation` above 1 with a transformers version before 4.46, whose Trainer averages the means of the batches; of
a recipe whose version is not known it says so as an info.

## Why is this bad?
Two batches with 10 and 30 trained tokens and summed losses of 10 and 60 have a mean of 70 / 40 = 1.75; the mean of the two means is
(1 + 2) / 2 = 1.5. Short samples weigh more, and the result is not that of one large batch.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```yaml
train: {gradient_accumulation: 8, framework: transformers, transformers: "4.45"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```yaml
train: {gradient_accumulation: 8, framework: transformers, transformers: "4.46.1"}
```

## Source
huggingface/transformers#35203, #34242; meta-pytorch/torchtune#1875.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF209", "accumulation-loss-normalisation", "warning", needs=("recipe", "yaml:train"))
def check(context: Context) -> Iterator[Hit]:
    """Steps and version."""
    train = context.train
    steps, version = train.gradient_accumulation, train.transformers
    found = re.match(r"[^0-9]*(\d+)\.(\d+)", version) if version is not None else None
    if found is None:
        yield from said(context, "XF209")
    elif steps is not None and steps > 1 and (int(found[1]), int(found[2])) < (4, 46):
        yield Hit(
            f"{steps} accumulated batches under transformers {version}: each has a mean of its own, and the means are averaged",
            "/train/gradient_accumulation",
            help="transformers 4.46 or newer, or one batch a step",
            file="xfcheck.yaml",
            related=(Related(f"transformers {version}", "/train/transformers", "xfcheck.yaml"),),
        )
