"""A maximum length that is not what the scaling reaches.

## What it does
Warns where `max_position_embeddings` is not the original length times the factor: for yarn, and for linear and dynamic scaling
where they give an original length. Never for llama3 and longrope, whose factor is no ratio of lengths.

## Why is this bad?
Two numbers say how far the model reaches, and readers take different ones: one refuses long prompts that work, another takes
prompts that do not.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
 "original_max_position_embeddings": 64}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 256,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
 "original_max_position_embeddings": 64}}
```

## Source
NVIDIA/Megatron-LM#1418; Peng et al. 2023, arXiv 2309.00071, section 3; transformers 5.24.0, modeling_rope_utils.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._rope import ORIGINAL, blocks, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF308", "rope-length-inconsistent", "warning", needs=("rope_scaling", "rope_parameters"))
def check(context: Context) -> Iterator[Hit]:
    """Max = original * factor, to the token."""
    for block in blocks(context):
        length, factor, original = block.scope.whole("max_position_embeddings"), block.number("factor"), block.number(ORIGINAL)
        if block.type not in ("yarn", "linear", "dynamic") or length is None or length < 1 or not factor or factor < 1 or not original:
            continue
        reach = original * factor
        if abs(reach - length) < 1 or original < 1:
            continue
        yield Hit(
            f"max_position_embeddings {length:,} is not original {shown(original)} * factor {shown(factor)} = {shown(reach)}",
            block.scope.at("max_position_embeddings"),
            help=f"max_position_embeddings {shown(reach)}, or factor {length / original:g}; the original is that of the pre-training",
            related=(
                Related(f"factor {shown(factor)}", f"{block.at}/factor"),
                Related(f"original {shown(original)}", f"{block.at}/{ORIGINAL}"),
            ),
        )
