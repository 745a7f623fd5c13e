"""A rotary factor below 1.

## What it does
Reports a scaling factor that is no number of at least 1.

## Why is this bad?
A factor is how many times further the model reaches. Below 1 it squeezes nothing and turns frequencies faster than they were
trained; readers write a line to the log and go on.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "linear",
 "factor": 0.25}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "linear",
 "factor": 4.0}}
```

## Source
Chen et al. 2023, arXiv 2306.15595, section 2.3; transformers 5.24.0, modeling_rope_utils.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Edit, Fix, Hit
from .._registry import rule
from ._rope import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF309", "rope-factor-range", "error", needs=("rope_scaling", "rope_parameters"))
def check(context: Context) -> Iterator[Hit]:
    """The factor of every type that has one."""
    for block in blocks(context):
        value = block.data.get("factor")
        if value is None or block.type in ("default", "axial"):
            continue
        at, number = f"{block.at}/factor", block.number("factor")
        if number is None:
            text = value.strip() if isinstance(value, str) else ""
            plain = text.replace(".", "", 1).isdecimal() and len(text) < 20
            fix = Fix(f"write {text}", (Edit("set", at, float(text)),)) if plain else None
            yield Hit(f"the rotary factor is {str(value)[:40]!r}, a number of at least 1 is needed", at, fix=fix)
        elif not number >= 1:
            inverse = f"; {1 / number:g} if the inverse was meant" if 0 < number < 1 else ""
            yield Hit(
                f"the rotary factor is {number:g}, at least 1 is needed", at, help=f"how many times further the model reaches{inverse}"
            )
