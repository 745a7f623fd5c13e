"""Frequency bands of llama3 scaling in the wrong order.

## What it does
Reports `high_freq_factor` that is not above `low_freq_factor`.

## Why is this bad?
Llama 3 leaves short wavelengths as they are, stretches long ones and blends between; the two factors bound the blend. Equal
ones divide by zero, reversed ones blend backwards; readers only log it.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3",
 "factor": 8.0, "low_freq_factor": 4.0, "high_freq_factor": 1.0, "original_max_position_embeddings": 16}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3",
 "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}}
```

## Source
Grattafiori et al. 2024, arXiv 2407.21783, section 3.4.2; transformers 5.24.0, modeling_rope_utils.py
(`_compute_llama3_parameters`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._rope import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF310", "rope-llama3-band-order", "error", needs=("rope_scaling", "rope_parameters"))
def check(context: Context) -> Iterator[Hit]:
    """High > low."""
    for block in blocks(context):
        low, high = block.number("low_freq_factor"), block.number("high_freq_factor")
        if block.type == "llama3" and low is not None and high is not None and high <= low:
            yield Hit(
                f"high_freq_factor {high:g} is not above low_freq_factor {low:g}",
                f"{block.at}/high_freq_factor",
                help="low_freq_factor 1, high_freq_factor 4 in the published models",
                related=(Related(f"low_freq_factor {low:g}", f"{block.at}/low_freq_factor"),),
            )
