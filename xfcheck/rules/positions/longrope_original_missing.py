"""Longrope without the length at which it switches.

## What it does
Reports longrope without `original_max_position_embeddings`: in Phi-3's classes the key at the top level is the one that is read
(a warning where it stands in the block alone, with both values), in others either place does.

## Why is this bad?
Up to the original length the short factors hold, beyond it the long ones, and the scale of the attention is computed from it. A
class that fills in its own default switches at the wrong token.

## Example
```json
{"model_type": "phi3", "architectures": ["Phi3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
 "rope_scaling": {"type": "longrope", "short_factor": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], "long_factor": [4.0, 4.0, 4.0,
 4.0, 4.0, 4.0, 4.0, 4.0]}}
```

## Use instead
```json
{"model_type": "phi3", "architectures": ["Phi3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
 "original_max_position_embeddings": 32, "rope_scaling": {"type": "longrope", "short_factor": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
 1.0, 1.0], "long_factor": [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0]}}
```

## Source
keras-team/keras-hub#2272; transformers 5.24.0, modeling_rope_utils.py (`standardize_rope_params`),
models/phi3/configuration_phi3.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Edit, Fix, Hit, Related
from .._registry import rule
from ._rope import ORIGINAL, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF312", "longrope-original-missing", "error", needs=("short_factor", "long_factor"))
def check(context: Context) -> Iterator[Hit]:
    """The original length of each longrope block."""
    for block in blocks(context):
        if block.type != "longrope" or block.scope.data.get(ORIGINAL) is not None:
            continue
        inside, table = block.data.get(ORIGINAL), block.scope.table
        default = table.default(ORIGINAL) if table is not None and table.declares(ORIGINAL) else None
        if inside is None:
            said = f": the class default {default:,} is taken" if isinstance(default, int) else ""
            yield Hit(f"longrope has no {ORIGINAL}{said}", block.at, help=f"{ORIGINAL} at the top level: the trained length", key=True)
        elif isinstance(default, int) and inside != default:
            top = f"{block.scope.pointer}/{ORIGINAL}"
            yield Hit(
                f"{block.scope.model_type} reads {ORIGINAL} at the top level alone: {default:,}, the class default, replaces {inside}",
                f"{block.at}/{ORIGINAL}",
                help=f'"{ORIGINAL}": {inside} at the top level',
                severity="warning",
                fix=Fix("write it at the top level too", (Edit("set", top, inside),)) if isinstance(inside, int) else None,
                related=(Related("the rotary block", block.at),),
            )
