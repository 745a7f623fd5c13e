"""A rotary type that no reader computes.

## What it does
Reports a type in `rope_scaling` or `rope_parameters` that transformers does not know. `su` is an older name of longrope,
`mrope` is right where the class reads `mrope_section` or code of the model's own does.

## Why is this bad?
The config loads, with a line in the log; building the model ends in a KeyError. Other readers fall back to plain rotary
positions and lose the long context without a word.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "yarnn", "factor": 4.0,
 "original_max_position_embeddings": 16}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
 "original_max_position_embeddings": 16}}
```

## Source
inclusionAI/Ling#11; ggml-org/llama.cpp#21403; transformers 5.24.0, modeling_rope_utils.py (`ROPE_INIT_FUNCTIONS`), models/phi3,
models/qwen2_vl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._facts import nearest
from .._finding import Edit, Fix, Hit
from .._registry import rule
from ._rope import TYPES, blocks, custom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


SECTIONED = frozenset(
    ["qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "qwen2_5_omni", "qwen2_5_omni_text", "qwen2_5_omni_talker"]
)
"""Types whose files call plain rotary positions with sections `mrope`."""


@rule("XF303", "rope-type-unknown", "error", needs=("rope_scaling", "rope_parameters"))
def check(context: Context) -> Iterator[Hit]:
    """The type of each block against those that transformers computes."""
    for block in blocks(context):
        kind = block.written
        if kind is None or block.type in TYPES:
            continue
        near = nearest(kind, TYPES, 0.7) if isinstance(kind, str) else None
        if custom(context, block.scope) and near is None:
            continue  # the model's own code may know it
        yield Hit(
            f"no reader computes the rotary type {kind!r}" + ("" if isinstance(kind, str) else ": a name is needed"),
            block.type_at,
            help=f'"{near}"' if near else f"one of {', '.join(TYPES)}",
            fix=None if near is None else Fix(f'write "{near}"', (Edit("set", block.type_at, near),), safe=False),
        )
    yield from sections(context)


def sections(context: Context) -> Iterator[Hit]:
    """`mrope` in a class that has no such name."""
    for block in blocks(context):
        if block.written == "mrope" and not custom(context, block.scope) and block.scope.model_type not in SECTIONED:
            yield Hit(
                f"{block.scope.model_type} does not know the rotary type 'mrope'",
                block.type_at,
                help='"default", with mrope_section, where the class has sections',
            )
