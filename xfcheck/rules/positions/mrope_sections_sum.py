"""Sections of M-RoPE that do not add up.

## What it does
Reports `mrope_section` that is no list of three whole numbers whose sum is half of the rotated dimensions.

## Why is this bad?
The pairs of a head are shared out among time, height and width. A sum that is too large reads past the end, one that is too
small leaves pairs without a position; the config loads all the same.

## Example
```json
{"model_type": "qwen3_5_text", "architectures": ["Qwen3_5ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 4,
 "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "intermediate_size": 128, "vocab_size": 96,
 "max_position_embeddings": 64, "rms_norm_eps": 1e-06, "dtype": "bfloat16", "rope_parameters": {"rope_type": "default",
 "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "mrope_section": [2, 4, 4]}}
```

## Use instead
```json
{"model_type": "qwen3_5_text", "architectures": ["Qwen3_5ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 4,
 "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "intermediate_size": 128, "vocab_size": 96,
 "max_position_embeddings": 64, "rms_norm_eps": 1e-06, "dtype": "bfloat16", "rope_parameters": {"rope_type": "default",
 "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "mrope_section": [2, 3, 3]}}
```

## Source
Wang et al. 2024, arXiv 2409.12191, section 2.1; mlx-node/mlx-node#12; huggingface/trl#4405.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._rope import blocks, widths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF314", "mrope-sections-sum", "error", needs=("mrope_section",))
def check(context: Context) -> Iterator[Hit]:
    """Three sections, sum = rotated dimensions / 2."""
    for block in blocks(context):
        sections = block.data.get("mrope_section")
        if sections is None:
            continue
        at, turned = f"{block.at}/mrope_section", widths(context, block)
        wanted = " or ".join(str(width // 2) for width in sorted(turned))
        three = f"three whole numbers, {wanted} together" if wanted else "three whole numbers"
        whole = isinstance(sections, list) and all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in sections)
        if not whole:
            yield Hit("mrope_section is no list of whole numbers", at, help=three)
        elif len(sections) != 3:
            yield Hit(f"mrope_section has {len(sections)} sections, for time, height and width", at, help=three)
        elif turned and sum(sections) not in {width // 2 for width in turned}:
            yield Hit(f"the sections of M-RoPE sum to {sum(sections)}, a head has {wanted} pairs", at, help=three)
