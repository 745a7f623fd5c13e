"""A tie flag that differs between the root and the text model.

## What it does
Reports `tie_word_embeddings` written at the root and in a nested text config with different values; an absent flag never counts.

## Why is this bad?
Some loaders ask the root, some the text config. One of them shares the table with the head, the other leaves the head to random
values, and nothing says so.

## Example
```json
{"model_type": "mistral3", "architectures": ["Mistral3ForConditionalGeneration"], "torch_dtype": "bfloat16",
 "tie_word_embeddings": false, "text_config": {"model_type": "mistral", "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "sliding_window": null, "tie_word_embeddings": true}, "vision_config": {"model_type": "pixtral", "hidden_size": 64,
 "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}}
```

## Use instead
```json
{"model_type": "mistral3", "architectures": ["Mistral3ForConditionalGeneration"], "torch_dtype": "bfloat16",
 "tie_word_embeddings": true, "text_config": {"model_type": "mistral", "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "sliding_window": null, "tie_word_embeddings": true}, "vision_config": {"model_type": "pixtral", "hidden_size": 64,
 "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}}
```

## Source
huggingface/transformers#43429.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...families._read.entry import NESTED
from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF402", "tie-flag-nested", "error", needs=NESTED)
def check(context: Context) -> Iterator[Hit]:
    """The two flags where both are written."""
    outer = context.data.get("tie_word_embeddings")
    for key in NESTED:
        inner = context.data.get(key)
        flag = inner.get("tie_word_embeddings") if isinstance(inner, dict) else None
        if isinstance(outer, bool) and isinstance(flag, bool) and flag is not outer:
            yield Hit(
                f"tie_word_embeddings is {str(outer).lower()} at the root and {str(flag).lower()} in {key}",
                "/tie_word_embeddings",
                help="one value in both places",
                related=(Related(f"{str(flag).lower()} in {key}", f"/{key}/tie_word_embeddings"),),
            )
