"""A window that the file does not mention.

## What it does
Warns where layers slide over a window that the class fills in, as the file has no `sliding_window`, and the model is longer
than that.

## Why is this bad?
Absence reads as "no window". Mistral's class slides over 4,096 tokens then; other readers see full attention, and an old file
that leaves the key out runs differently in each.

## Example
```json
{"model_type": "mistral", "architectures": ["MistralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96,
 "max_position_embeddings": 32768, "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "mistral", "architectures": ["MistralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96,
 "max_position_embeddings": 32768, "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "sliding_window": null}
```

## Source
transformers 5.24.0, models/mistral/configuration_mistral.py; huggingface/transformers#35896.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._windows import windowed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF323", "sliding-window-implicit", "warning", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Windows of the model that are the class's own."""
    for scope in context.scopes:
        if not context.of_model(scope):
            continue
        key, length = "sliding_window", scope.whole("max_position_embeddings")
        window = scope.whole(key)
        if not scope.defaulted(key) or window is None or window not in windowed(context) or length is None or length <= window:
            continue
        if scope.table is None or "null" not in scope.table.types(key):
            continue  # a class that always slides: absence cannot be read as no window
        yield Hit(
            f"layers slide over {window:,} tokens, the default of {scope.model_type}: the file has no {key}",
            scope.at("model_type") if "model_type" in scope.data else scope.pointer,
            help=f'"{key}": {window}' + ", or null for none",
            related=(Related(f"{length:,} positions", scope.at("max_position_embeddings")),),
        )
