"""A scaling without a type.

## What it does
Reports a rotary block that has a factor or another scaling key and no type; warns where the type stands under `type` and the
class only looks at `rope_type`.

## Why is this bad?
A block without a type is plain rotary positions: the factor is not read, the model reaches no further than before, and nothing
says so.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"factor": 4.0}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "linear",
 "factor": 4.0}}
```

## Source
transformers 5.24.0, modeling_rope_utils.py (`standardize_rope_params`: no type means `default`); models/gemma3, olmo3,
modernbert, which set `rope_type` before they look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.rope import version5
from .._finding import Edit, Fix, Hit
from .._registry import rule
from ._rope import SCALES, blocks, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from ._rope import Block


@rule("XF304", "rope-type-missing", "error", needs=("rope_scaling", "rope_parameters"))
def check(context: Context) -> Iterator[Hit]:
    """Blocks with a scaling key and no type."""
    for block in blocks(context):
        factor = block.number("factor")
        if block.written is None:
            found = [key for key in SCALES if block.data.get(key) is not None]
            if found and not (found == ["factor"] and factor == 1):
                yield Hit(
                    f"a rotary scaling without a type is none: {', '.join(found)} {'is' if len(found) == 1 else 'are'} not read",
                    block.at,
                    help='"rope_type": one of linear, dynamic, yarn, longrope, llama3',
                    key=True,
                )
        elif older(block) and factor is not None and factor > 1:
            yield Hit(
                f"{block.scope.model_type} looks at rope_type alone: type {block.written!r} and its factor {shown(factor)} have no effect",
                block.type_at,
                help=f'"rope_type": "{block.written}"',
                severity="warning",
                fix=Fix("name it rope_type", (Edit("rename", block.type_at, "rope_type"),)),
            )


def older(block: Block) -> bool:
    """Whether the block says `type` to a class that does not look there."""
    own = version5()["types"].get(block.scope.model_type, {})
    return bool(own.get("scaled")) and not own["old_name"] and "rope_type" not in block.data and isinstance(block.written, str)
