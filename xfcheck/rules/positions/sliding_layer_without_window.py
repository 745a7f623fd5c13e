"""Layers that slide over a window that is not there.

## What it does
Reports windowed layers in `layer_types` where the window is null, or switched off by `use_sliding_window: false`.

## Why is this bad?
The config loads and the model is built; the first forward pass stops with a TypeError, as there is no width to mask by.

## Example
```json
{"model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 96,
 "max_position_embeddings": 64, "query_pre_attn_scalar": 16, "layer_types": ["sliding_attention", "full_attention"],
 "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16", "sliding_window": null}
```

## Use instead
```json
{"model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 96,
 "max_position_embeddings": 64, "query_pre_attn_scalar": 16, "layer_types": ["sliding_attention", "full_attention"],
 "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16", "sliding_window": 16}
```

## Source
transformers 5.24.0, masking_utils.py (`sliding_window_overlay`), models/qwen2/configuration_qwen2.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._windows import SLIDING, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF321", "sliding-layer-without-window", "error", needs=("layer_types",))
def check(context: Context) -> Iterator[Hit]:
    """Windowed layers against the window that the class gives them."""
    for scope in context.scopes:
        if scope.table is None or not scope.table.declares("sliding_window"):
            continue
        layers = [number for number, kind in enumerate(listed(scope)) if kind in SLIDING]
        switch = scope.boolean("use_sliding_window") is False
        if not layers or (scope.value("sliding_window") is not None and not switch):
            continue
        count = f"{len(layers)} {'layer slides' if len(layers) == 1 else 'layers slide'}"
        off = scope.value("sliding_window") is not None
        yield Hit(
            f"{count} and use_sliding_window is false, which makes the window null" if off else f"{count} and sliding_window is null",
            scope.at("use_sliding_window" if off and scope.has("use_sliding_window") else "layer_types"),
            help="use_sliding_window true" if off else "a window in tokens, or full_attention",
            related=(Related("the window", scope.at("sliding_window")),),
        )
