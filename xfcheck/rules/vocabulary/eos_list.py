"""Several ids that end the text.

## What it does
An info where `eos_token_id` is a list, in config.json or generation_config.json.

## Why is this bad?
The list is valid and common. Tools that expect one number stop with a type error, or take the first and run past the others.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": [2, 5]}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```

## Source
turboderp-org/exllamav2#449; alibaba/ChatLearn#263.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


FILE = "generation_config.json"


@rule("XF605", "eos-list", "info", needs=("eos_token_id", f"file:{FILE}"))
def check(context: Context) -> Iterator[Hit]:
    """Lists of end ids."""
    seen = set()
    for scope in (context.root, *context.scopes):
        value, at = scope.value("eos_token_id", default=False), scope.at("eos_token_id")
        if isinstance(value, list) and at not in seen:
            seen.add(at)
            yield Hit(f"eos_token_id is a list of {len(value)}: readers that expect one number fail", at)
    data = context.side(FILE) if FILE in context.folder.beside() else None
    value = data.get("eos_token_id") if isinstance(data, dict) else None
    if isinstance(value, list):
        yield Hit(f"eos_token_id is a list of {len(value)}: readers that expect one number fail", "/eos_token_id", file=FILE)
