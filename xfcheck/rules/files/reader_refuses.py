"""A legal config that one reader refuses.

## What it does
Names the reader and the check that stands in the way of a config that is otherwise right: transformers 5 wants the hidden size
divisible by the heads in many classes even where head_dim is given.

## Why is this bad?
The file is right and will be right in the next release; today it does not load in that reader, and the message it gives misleads.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 66, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "head_dim": 16}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "head_dim": 16}
```

## Source
huggingface/transformers#46211; transformers 5.24.0, `validate_architecture` of models/llama/configuration_llama.py and its kin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...families._read.entry import NESTED
from .._facts import facts
from .._finding import Hit, Related
from .._names import first
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


@rule("XF902", "reader-refuses", "warning", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Checks of transformers 5.24 that legal files fail."""
    for scope in context.nested:
        yield from uneven_heads(scope)
        yield from renamed_longrope(scope)
    yield from flat_composite(context)


def uneven_heads(scope: Scope) -> Iterator[Hit]:
    """Hidden % heads in a class that asks for it though a head width is given."""
    width, heads, own = first(scope, "width"), first(scope, "heads"), first(scope, "head_dim") or first(scope, "latent")
    if (
        scope.table is None
        or scope.table.model_type not in facts()["uneven_heads_refused"]
        or width is None
        or heads is None
        or own is None
    ):
        return
    if heads[1] > 0 and width[1] > 0 and own[1] > 0 and width[1] % heads[1]:
        yield Hit(
            f"transformers {scope.table.transformers} refuses {width[0]} {width[1]} for {heads[1]} heads, "
            f"though {own[0]} {own[1]} makes it right",
            scope.at(heads[0]),
            help="a later transformers, or another reader",
            related=(Related(f"{own[0]} {own[1]}", scope.at(own[0])),),
        )


def renamed_longrope(scope: Scope) -> Iterator[Hit]:
    """phi3's older name of longrope, renamed before the original length is filled in."""
    for key in ("rope_scaling", "rope_parameters"):
        block = scope.data.get(key)
        if (
            scope.table is None
            or scope.table.model_type != "phi3"
            or not isinstance(block, dict)
            or block.get("type", block.get("rope_type")) != "su"
        ):
            continue
        if "original_max_position_embeddings" in scope.data and "original_max_position_embeddings" not in block:
            said = f'transformers {scope.table.transformers} renames "su" to longrope and then misses the original length in {key}'
            yield Hit(said, f"{scope.at(key)}/{'type' if 'type' in block else 'rope_type'}", help='"longrope"')


def flat_composite(context: Context) -> Iterator[Hit]:
    """The keys of a text model under the model type of a composite config, whose class looks for them one level down."""
    root = context.root
    parts = {} if root.table is None else root.table.sub_configs
    key = next((key for key in NESTED if key in parts), None)
    if key is None or root.table is None or any(name in context.data for name in NESTED) or root.table.accepts("hidden_size"):
        return
    if "hidden_size" in context.data and "num_hidden_layers" in context.data:
        yield Hit(
            f"transformers {root.table.transformers} looks for the text model of {root.model_type} in {key} and finds none: "
            "the keys here are not read",
            "/model_type",
            help=f'"{parts[key]}"',
        )
