"""No model class named.

## What it does
Reports a config whose `architectures` is absent, null or empty.

## Why is this bad?
Serving engines and exporters choose the model by it, and refuse the folder. Without it a tool cannot know whether there is a
language-model head.

## Example
```json
{"model_type": "llama", "architectures": null, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8,
 "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
bytedance/Sa2VA#86; huggingface/trl#7008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF411", "architectures-missing", "warning", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """The root's list."""
    if context.data.get("architectures"):
        return
    table = context.root.table
    known = (
        []
        if table is None
        else [name for name, head in table.architectures.items() if head in ("causal", "masked", "seq2seq", "conditional_generation")]
    )
    what = "is not there" if "architectures" not in context.data else "names no class"
    yield Hit(f"architectures {what}", "/architectures", help=f'"architectures": ["{known[0]}"]' if known else None)
