"""A language model inside a larger config.

## What it does
Says where the language model's keys are read, and warns of copies of them at the root with other values.

## Why is this bad?
Tools that look at the root alone find no hidden size, or an old copy of it. A copy that differs is read by some tools and not by
others.

## Example
```json
{"model_type": "mistral3", "architectures": ["Mistral3ForConditionalGeneration"], "torch_dtype": "bfloat16",
 "tie_word_embeddings": true, "text_config": {"model_type": "mistral", "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "sliding_window": null, "tie_word_embeddings": true}, "vision_config": {"model_type": "pixtral", "hidden_size": 64,
 "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}, "hidden_size": 32}
```

## Use instead
```json
{"model_type": "mistral", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 2,
 "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05, "sliding_window": null, "tie_word_embeddings": true,
 "architectures": ["MistralForCausalLM"], "torch_dtype": "bfloat16"}
```

## Source
huggingface/transformers#45759; ndif-team/nnsight#653; NVIDIA/Model-Optimizer#2040; vllm-project/vllm#24501; PrimeIntellect-
ai/prime-rl#2868.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF413", "nested-text-config", "warning", needs=("text_config", "llm_config", "language_config", "thinker_config"))
def check(context: Context) -> Iterator[Hit]:
    """Each nested language model against the root's keys of the same names, those left out that the root's class reads itself."""
    for scope in context.scopes:
        if not scope.pointer:
            continue
        yield Hit(f"the language model is read from {scope.pointer[1:]} ({scope.model_type})", scope.pointer, severity="info")
        for key, value in context.data.items():
            if (
                key not in scope.data
                or scope.data[key] == value
                or not counts(value)
                or scope.table is None
                or not scope.table.declares(key)
            ):
                continue
            if context.root.table is not None and (context.root.table.declares(key) or key in context.root.table.kwargs):
                continue
            yield Hit(
                f"{key} is {value} at the root and {scope.data[key]} in {scope.pointer[1:]}, where it is read",
                f"/{key}",
                help="the same value, or none at the root",
                related=(Related(f"{key} {scope.data[key]}", scope.at(key)),),
            )


def counts(value: Any) -> bool:
    """Whether a copy can mislead: a number or a flag; names and lists belong to each object."""
    return isinstance(value, int | float) or value is None
