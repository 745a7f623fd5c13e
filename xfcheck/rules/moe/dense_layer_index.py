"""Dense layers that the model does not have.

## What it does
Warns of a number of dense first layers at or above the depth, indices of dense layers outside it, and a step between sparse layers
below one, or above the depth so that none has experts.

## Why is this bad?
The numbers are taken as they are: dense first layers beyond the depth leave a model without any expert, an index outside it does
nothing, a step of 0 divides by zero.

## Example
```json
{"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "head_dim": 8,
 "mlp_only_layers": [7]}
```

## Use instead
```json
{"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "head_dim": 8,
 "mlp_only_layers": [0]}
```

## Source
huggingface/transformers#30552; transformers 5.24.0, models/qwen3_moe/modeling_qwen3_moe.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._names import first
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


FIRST = ("first_k_dense_replace", "num_dense_layers", "moe_layer_start_index")
STEPS = ("decoder_sparse_step", "encoder_sparse_step")
LISTS = ("mlp_only_layers", "moe_layers", "dense_list")


@rule("XF513", "dense-layer-index", "warning", needs=(*FIRST, *STEPS, *LISTS))
def check(context: Context) -> Iterator[Hit]:
    """Each key that the class reads, against the depth."""
    for scope in context.scopes:
        depth = first(scope, "depth")
        if depth is None or depth[1] < 1:
            continue
        related = (Related(f"{depth[0]} {depth[1]}", scope.at(depth[0])),)
        for key in FIRST:
            value = scope.whole(key)
            if value is not None and reads(scope, key) and value >= depth[1] and (scope.has(key) or scope.has(depth[0])):
                yield Hit(
                    f"{key} {value} for {depth[1]} layers: no layer has experts", scope.at(key), help=f"below {depth[1]}", related=related
                )
        for key in STEPS:
            value = scope.whole(key, default=False)
            if value is None or not reads(scope, key):
                continue
            # 0 means no sparse layer at all in the encoder-decoders that count them
            if value < (1 if scope.whole("mlp_only_layers") is None and "mlp_only_layers" in fields(scope) else 0):
                yield Hit(f"{key} is {value}, a step of at least 1 layer is needed", scope.at(key))
            # where a class begins to count differs: that no layer is left is told by the model that it builds
            elif value > depth[1] and context.mixers and all(mixer.kind != "moe" for mixer in context.mixers):
                said = f"{key} {value} for {depth[1]} layers: no layer has experts"
                yield Hit(said, scope.at(key), help=f"at most {depth[1]}", related=related)
        for key in LISTS:
            value_list = scope.value(key, default=False)
            if isinstance(value_list, list) and reads(scope, key):
                outside = [i for i in value_list if isinstance(i, int) and not isinstance(i, bool) and not 0 <= i < depth[1]]
                if outside:
                    said = f"{key} names layer {outside[0]}, the model has layers 0 to {depth[1] - 1}"
                    yield Hit(said, scope.at(key), related=related)


def reads(scope: Scope, key: str) -> bool:
    """Whether the class gives the key a meaning of its own."""
    return scope.table is not None and (key in scope.table.fields or key in scope.table.reads or key in scope.table.kwargs)


def fields(scope: Scope) -> frozenset[str]:
    """The class's own keys."""
    return frozenset() if scope.table is None else frozenset(scope.table.fields)
