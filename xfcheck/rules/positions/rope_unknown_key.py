"""A misspelt key in a rotary block.

## What it does
Warns of a key in `rope_scaling` or `rope_parameters` that no reader knows and that is nearly one that is missing there, and of
a factor under the type `default`. Keys of another type are an info.

## Why is this bad?
Unknown keys are logged at best. The value that was meant takes its default.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
 "original_max_position_embeddings": 16, "beta_fsat": 16}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
 "original_max_position_embeddings": 16, "beta_fast": 16}}
```

## Source
sgl-project/sglang#2943; transformers 5.24.0, modeling_rope_utils.py (`_check_received_keys`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...documents.document import escape
from .._facts import nearest
from .._finding import Edit, Fix, Hit
from .._registry import rule
from ._rope import COMMON, READ, blocks, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from ._rope import Block


@rule("XF307", "rope-unknown-key", "warning", needs=("rope_scaling", "rope_parameters"))
def check(context: Context) -> Iterator[Hit]:
    """Each key of each block against those that its type reads."""
    known = {key for keys in READ.values() for key in keys} | set(COMMON)
    for block in blocks(context):
        mine = (*COMMON, *READ.get(block.type, tuple(known)))
        for key, value in block.data.items():
            at = f"{block.at}/{escape(key)}"
            if key in mine:
                continue
            absent = [[k for k in keys if k not in block.data] for keys in (mine, sorted(known))]
            near = nearest(key, absent[0], 0.8) or nearest(key, absent[1], 0.8)
            if key not in known and near is not None:
                yield Hit(
                    f"{key!r} is no key of a rotary block",
                    at,
                    help=f"did you mean {near}?",
                    fix=Fix(f"name it {near}", (Edit("rename", at, near),)),
                    key=True,
                )
            elif key in known:
                yield other(block, key, value, at)


def other(block: Block, key: str, value: object, at: str) -> Hit:
    """A key of another type; a factor that stretches nothing is more than an oversight."""
    factor = block.number("factor") if key == "factor" else None
    lost = block.type in ("default", "axial") and block.written is not None and factor is not None and factor > 1
    said = f": positions are not stretched by {shown(factor or 0)}" if lost else ""
    return Hit(f"rope type {block.type} does not read {key}{said}", at, severity=None if lost else "info", key=True)
