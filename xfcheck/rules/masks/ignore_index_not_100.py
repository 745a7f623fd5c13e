"""A label for masked tokens that the loss does not leave out.

## What it does
Reports `train.loss_mask.ignore_index` other than -100 for frameworks whose loss leaves -100 out.

## Why is this bad?
The cross-entropy of PyTorch ignores -100 unless it is told another index; 0, or a padding id, is then a token that the model is
trained to write.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```yaml
train: {loss_mask: {ignore_index: 0}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```yaml
train: {loss_mask: {ignore_index: -100}}
```

## Source
PyTorch, `torch.nn.functional.cross_entropy` (ignore_index -100); transformers 5.24.0, loss/loss_utils.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


OTHER = ("megatron", "nemo", "neox", "maxtext", "nanotron")
"""Frameworks that multiply by a mask, so that the label below it does not matter."""


@rule("XF208", "ignore-index-not-100", "warning", needs=("yaml:train",))
def check(context: Context) -> Iterator[Hit]:
    """The index."""
    mask = context.train.loss_mask
    if mask is not None and mask.ignore_index not in (None, -100) and context.train.framework not in OTHER:
        yield Hit(
            f"masked labels are {mask.ignore_index}, and the loss leaves out -100 alone",
            "/train/loss_mask/ignore_index",
            help="-100, or the same ignore_index given to the loss",
            file="xfcheck.yaml",
        )
