"""A rotary scaling without the keys it is computed from.

## What it does
Reports linear, dynamic and yarn without a factor, llama3 without one of its four keys, longrope without one of its two lists.
Warns of yarn without the original length.

## Why is this bad?
The first reader that needs the key stops with a KeyError. Without an original length yarn takes the present maximum for the
trained one: the frequencies are stretched from the wrong place and the declared maximum is not the reach.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rope_theta": 10000.0, "rope_scaling": {"rope_type": "yarn",
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
NVIDIA-NeMo/Automodel#2652; Peng et al. 2023, arXiv 2309.00071; transformers 5.24.0, modeling_rope_utils.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._rope import ORIGINAL, blocks, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from ._rope import Block


REQUIRED: dict[str, tuple[str, ...]] = {
    "linear": ("factor",),
    "dynamic": ("factor",),
    "yarn": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", ORIGINAL),
    "longrope": ("short_factor", "long_factor"),
}


@rule("XF305", "rope-required-keys", "error", needs=("rope_scaling", "rope_parameters"))
def check(context: Context) -> Iterator[Hit]:
    """The keys of each type; null counts as missing."""
    for block in blocks(context):
        missing = [key for key in REQUIRED.get(block.type, ()) if block.data.get(key) is None]
        if missing:
            yield Hit(f"{block.type} needs {' and '.join(missing)}", block.at, help=f'write "{missing[0]}"', key=True)
        elif block.type == "yarn" and block.data.get(ORIGINAL) is None:
            yield original(block)


def original(block: Block) -> Hit:
    """Yarn whose original length the class fills in."""
    length, factor = block.scope.whole("max_position_embeddings"), block.number("factor")
    said = "yarn has no original_max_position_embeddings"
    if length is not None and factor is not None:
        said += f": readers take {length:,}, the present maximum, and stretch it by {shown(factor)} to {shown(length * factor)}"
    outside = block.scope.whole(ORIGINAL, default=False)
    wanted = (
        f"{outside:,}, which stands outside the block, where it is not read" if outside is not None else "the length of the pre-training"
    )
    return Hit(said, block.at, help=f"{ORIGINAL}: {wanted}", severity="warning", key=True)
