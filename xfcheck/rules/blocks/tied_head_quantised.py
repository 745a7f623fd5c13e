"""A quantised head that is the embedding table.

## What it does
Reports a quantisation block that says the head is quantised while the head is tied to the embedding table.

## Why is this bad?
One tensor cannot be packed for the head and plain for the look-up. Readers either keep two copies, or untie the head, or read
packed words as floats.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "tie_word_embeddings": true, "quantization_config": {"quant_method": "gptq", "bits": 4,
 "group_size": 64, "lm_head": true}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "tie_word_embeddings": true, "quantization_config": {"quant_method": "gptq", "bits": 4,
 "group_size": 64, "lm_head": false}}
```

## Source
Samsung/TICO#972.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


KEYS = ("lm_head", "quant_lm_head", "quantize_lm_head")


@rule("XF410", "tied-head-quantised", "warning", needs=KEYS)
def check(context: Context) -> Iterator[Hit]:
    """A quantisation flag on the head, and a tied head."""
    for key in ("quantization_config", "quantization"):
        block = context.data.get(key)
        if not isinstance(block, dict) or not tied(context):
            continue
        for flag in KEYS:
            if block.get(flag) is True:
                related = (Related("the head is the embedding table", context.scopes[0].at("tie_word_embeddings")),)
                yield Hit(
                    f"{flag} is true, but the head is tied to the embedding table",
                    f"/{key}/{flag}",
                    help="leave the head out of the quantisation",
                    related=related,
                )


def tied(context: Context) -> bool:
    """Whether the model's head is tied; by the flag where no model can be built."""
    if context.model is not None:
        return context.model.architecture.head.tied
    return bool(context.scopes[0].boolean("tie_word_embeddings"))
