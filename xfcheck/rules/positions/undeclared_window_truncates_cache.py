"""A window that only the cache obeys.

## What it does
Warns of `sliding_window`, or of sliding layers in `layer_types`, in a class that does not window its attention.

## Why is this bad?
The attention of these classes sees everything; the default cache of transformers looks for the key in any config and keeps the
last W - 1 tokens. A prompt is right, every token decoded beyond the window silently misses its context.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "sliding_window": 16}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}
```

## Source
transformers 5.24.0, cache_utils.py (`DynamicCache`, `get_layer_types_and_kwargs`) against models/llama/modeling_llama.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Edit, Fix, Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF329", "undeclared-window-truncates-cache", "warning", needs=("sliding_window", "layer_types", "attention_chunk_size"))
def check(context: Context) -> Iterator[Hit]:
    """What the cache of the model's attentions keeps against what their masks need."""
    kept = {held for mixer in context.mixers if (held := getattr(mixer, "kept_tokens", None))}
    scope = next((s for s in context.scopes if context.of_model(s)), None)
    if not kept or scope is None:
        return
    length = scope.whole("max_position_embeddings")
    windows = sorted(window for window in kept if window > 1 and (length is None or window <= length))
    key = next((key for key in ("sliding_window", "attention_chunk_size", "layer_types") if scope.data.get(key) is not None), None)
    if not windows or key is None:
        return
    at = f"{scope.pointer}/{key}"
    yield Hit(
        f"{scope.model_type} does not window its attention, the default cache of transformers keeps {windows[0] - 1:,} tokens all the same",
        at,
        help="leave the key out",
        fix=Fix(f"take {key} away", (Edit("delete", at),), safe=False),
        key=True,
    )
