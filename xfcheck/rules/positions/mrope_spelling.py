"""M-RoPE told by its type.

## What it does
An info where the type is `mrope`, or stands under the older key `type`: readers tell M-RoPE by `mrope_section`, the type is
`default`.

## Why is this bad?
Some readers look at the type, others at the sections, and a type that a reader does not know is refused or dropped.

## Example
```json
{"model_type": "llama", "architectures": ["DraftForQwen2VL"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"type": "mrope", "mrope_section": [2,
 3, 3]}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["DraftForQwen2VL"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "default",
 "mrope_section": [2, 3, 3]}}
```

## Source
huggingface/transformers#33401; modelscope/ms-swift#2340; transformers 5.24.0, models/qwen2_vl/configuration_qwen2_vl.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._rope import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF315", "mrope-spelling", "info", needs=("mrope_section",))
def check(context: Context) -> Iterator[Hit]:
    """Sections under the type `mrope`, or under the older name of a type."""
    for block in blocks(context):
        if "mrope_section" not in block.data:
            continue
        if "mrope" in (block.written, block.data.get("type")):
            yield Hit("M-RoPE is told by mrope_section, the type is default", block.type_at, help='"rope_type": "default"')
        elif "type" in block.data:
            yield Hit("M-RoPE is told by mrope_section, whatever type says", f"{block.at}/type", help='"rope_type" alone')
