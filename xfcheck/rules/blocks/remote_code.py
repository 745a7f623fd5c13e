"""A config that brings its own code.

## What it does
Says that `auto_map` points to Python files beside the config, which are read as data and never executed: an info where transformers
has the model type itself, a warning where that code is its only reader.

## Why is this bad?
A reader has to run code from the folder to load the model. Tools that do not (all serving engines with their own implementations,
exporters) can go by the keys alone.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "auto_map": {"AutoConfig": "configuration_mine.MineConfig"}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
ggml-org/llama.cpp#13122.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF412", "remote-code", "warning", needs=("auto_map",))
def check(context: Context) -> Iterator[Hit]:
    """auto_map at the root, with a class that transformers knows or without one."""
    mapped = context.data.get("auto_map")
    if not isinstance(mapped, dict) or not mapped:
        return
    if context.root.table is not None:
        yield Hit(f"auto_map brings code for {context.root.model_type}, which transformers has itself", "/auto_map", severity="info")
    else:
        yield Hit(
            "the model type is read by the code that auto_map brings alone; it was not executed",
            "/auto_map",
            help="compare with the code's own defaults",
        )
