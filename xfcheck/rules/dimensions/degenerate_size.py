"""A size below one.

## What it does
Reports a width, depth, number of heads, head width, feed-forward width, vocabulary or number of key-value heads of zero or less, in
every config object.

## Why is this bad?
A model without layers, columns or heads is built without a word by most loaders, or dies of a division by zero deep inside.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 0,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
transformers 5.24.0: a llama config of 0 layers loads and builds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._names import DIMENSIONS, declared
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._context import Context, Scope


SIZES = ("width", "depth", "heads", "kv_heads", "head_dim", "latent", "feed_forward", "expert_width", "vocabulary")

PICTURE = ("patch_size", "image_size", "num_channels", "in_channels", "in_chans", "spatial_merge_size", "temporal_patch_size")
UNREAD = frozenset(("kv_heads", "head_dim", "latent", "feed_forward", "expert_width"))
"""Dimensions that a model may have no use for: no dense layer, latent attention, no attention."""


@rule("XF117", "degenerate-size", "error", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Every size that the class reads is at least one, unless the class's own default is not."""
    for scope in context.nested:
        for dimension in SIZES:
            if dimension == "latent" and scope.data.get("use_mla") is False:
                continue
            for key in keys(scope, dimension):
                value = scope.whole(key, default=False)
                if value is not None and value < 1 and not harmless(context, scope, key, unread=dimension in UNREAD):
                    yield Hit(f"{key} is {value}: {DIMENSIONS[dimension].label} of at least 1 is needed", scope.at(key))
        if scope.pointer:
            yield from picture(scope)


def picture(scope: Scope) -> Iterator[Hit]:
    """Sizes of a picture and its patches, which parts of a composite have."""
    for key in PICTURE:
        value = scope.whole(key, default=False)
        if value is not None and value < 1 and (scope.table is None or scope.table.accepts(key)):
            yield Hit(f"{key} is {value}: at least 1 is needed", scope.at(key))


def keys(scope: Scope, dimension: str) -> Sequence[str]:
    """The names of a dimension that the scope's class reads, or that the file has where there is no class."""
    if scope.table is not None:
        own = declared(scope.table, dimension)
        return own or [name for name in DIMENSIONS[dimension].names if name in scope.data and scope.table.accepts(name)]
    return [name for name in DIMENSIONS[dimension].names if name in scope.data]


def harmless(context: Context, scope: Scope, key: str, *, unread: bool) -> bool:
    """Whether the class's own value is as small, or (`unread`) the key may go unread and a model was built without a look at it."""
    default = None if scope.table is None else scope.table.default(key)
    if isinstance(default, int) and default < 1:
        return True
    if not unread or context.model is None or not context.of_model(scope):
        return False
    return not any(f"{scope.pointer}/{name}" in context.model.settings.reading.asked for name in scope.spellings(key))
