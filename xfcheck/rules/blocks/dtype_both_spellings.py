"""Two dtypes in one file.

## What it does
Reports `dtype` and `torch_dtype` that differ, in every config object.

## Why is this bad?
transformers 5 takes `dtype` without a word, older readers know `torch_dtype` alone: the same file loads as two models.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "dtype": "float16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "dtype": "bfloat16"}
```

## Source
transformers 5.24.0, configuration_utils.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF408", "dtype-both-spellings", "warning", needs=("torch_dtype",))
def check(context: Context) -> Iterator[Hit]:
    """Both keys of each config object."""
    for scope in context.nested:
        new, old = scope.data.get("dtype"), scope.data.get("torch_dtype")
        if isinstance(new, str) and isinstance(old, str) and new.removeprefix("torch.") != old.removeprefix("torch."):
            yield Hit(
                f'dtype is "{new}" and torch_dtype "{old}": transformers 5 takes the first, older readers the second',
                f"{scope.pointer}/dtype",
                help="one of them",
                related=(Related(f'torch_dtype "{old}"', f"{scope.pointer}/torch_dtype"),),
            )
