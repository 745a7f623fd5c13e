"""A derived key that says something else than its source.

## What it does
Warns of a key that is usually derived from another (`layer_types`, `mlp_layer_types`, `is_gated_act`) where both are written and
the model would be another one without the derived key.

## Why is this bad?
The derived key is taken and the source ignored. An edit of the source (a window pattern, the kind of feed-forward) has no effect,
and readers that know the source alone build another model.

## Example
```json
{"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2,
 "num_heads": 4, "vocab_size": 96, "torch_dtype": "bfloat16", "decoder_start_token_id": 0, "feed_forward_proj": "gated-gelu",
 "is_gated_act": false}
```

## Use instead
```json
{"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2,
 "num_heads": 4, "vocab_size": 96, "torch_dtype": "bfloat16", "decoder_start_token_id": 0, "feed_forward_proj": "gated-gelu"}
```

## Source
transformers 5.24.0: T5 with a gated `feed_forward_proj` and `is_gated_act: false` is built ungated; `layer_types` in a qwen2 file
beats max_window_layers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...documents.document import resolve
from ...problems import Refused
from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.model import Architecture
    from .._context import Context


SOURCES: dict[str, tuple[str, ...]] = {
    "layer_types": (
        "sliding_window_pattern",
        "full_attention_interval",
        "max_window_layers",
        "attn_layer_indices",
        "full_attn_idxs",
        "hybrid_override_pattern",
        "attn_layer_period",
        "global_attn_every_n_layers",
        "attn_type_list",
    ),
    "layers_block_type": ("attn_layer_indices", "attn_layer_period", "hybrid_override_pattern"),
    "mlp_layer_types": ("first_k_dense_replace", "mlp_only_layers", "decoder_sparse_step", "moe_layer_freq", "num_dense_layers"),
    "no_rope_layers": ("no_rope_layer_interval",),
    "moe_layers": ("interleave_moe_layer_step",),
    "is_gated_act": ("feed_forward_proj",),
    "dense_act_fn": ("feed_forward_proj",),
}
"""Derived key -> what it is derived from where it is absent."""


@rule("XF124", "derived-key-disagrees", "warning", needs=tuple(SOURCES))
def check(context: Context) -> Iterator[Hit]:
    """The architecture with and without the derived key."""
    scope = next((s for s in context.scopes if context.of_model(s)), None)
    if scope is None or context.model is None:
        return
    pointer, settings = scope.pointer, scope.data
    for key, sources in SOURCES.items():
        written = [name for name in sources if settings.get(name) is not None]
        if settings.get(key) is None or not written or settings[key] == []:
            continue
        other = without(context, pointer, key)
        if other is not None and laid(other) != laid(context.model.architecture):
            related = tuple(Related(f"{name} is not read beside {key}", f"{pointer}/{name}") for name in written)
            yield Hit(
                f"{key} says something else than {', '.join(written)}, and is taken",
                f"{pointer}/{key}",
                help="one of them",
                related=related,
            )


def laid(architecture: Architecture) -> list[list[Any]]:
    """The kinds of layers of each stack, in the order of their first layers and without their names."""
    out = []
    for stack in architecture.stacks:
        blocks = sorted((block for block in stack.blocks if len(block.layers)), key=lambda block: min(block.layers))
        out.append([(str(block.layers), block.sublayers, block.projections, block.uses) for block in blocks])
    return out


def without(context: Context, pointer: str, key: str) -> Any:
    """The architecture of the config less one key; null where it describes none."""
    from copy import deepcopy

    from ...model import understand

    data = deepcopy(context.data)
    del resolve(data, pointer)[key]
    try:
        return understand(data, context.folder).architecture
    except Refused:
        return None
