"""A bias flag that the class does not read and does not agree with.

## What it does
Warns of `attention_bias`, `qkv_bias`, `add_qkv_bias` or `mlp_bias` in a class that does not read it, where what the class builds is
not what the flag says. A flag that is read, or unread and in agreement, is no finding.

## Why is this bad?
qwen2 has biases on query, key and value whatever the file says. A tool that believes the flag counts other parameters and misses
tensors in the checkpoint.

## Example
```json
{"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "attention_bias": false}
```

## Use instead
```json
{"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
vllm-project/vllm#3767; huggingface/transformers#32892; transformers 5.24.0, models/qwen2/modeling_qwen2.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


ATTENTION = ("attention_bias", "qkv_bias", "add_qkv_bias")
FEED_FORWARD = ("mlp_bias",)


@rule("XF405", "bias-flag-vs-family", "warning", needs=(*ATTENTION, *FEED_FORWARD))
def check(context: Context) -> Iterator[Hit]:
    """Written flags that the class does not read, against the biases of the model."""
    for scope in context.scopes:
        if not context.of_model(scope):
            continue
        for key in (*ATTENTION, *FEED_FORWARD):
            flag = scope.boolean(key, default=False)
            if flag is None or reads(scope, key):
                continue
            names = biases(context) if key in ATTENTION else inner(context)
            if names is not None and flag is not bool(names):
                which = f"its {', '.join(names)} projections have biases" if names else "it has none"
                yield Hit(
                    f"{key} is {str(flag).lower()}, which {scope.model_type} does not read: {which}",
                    scope.at(key),
                    help="leave the key out",
                )


def reads(scope: Scope, key: str) -> bool:
    """Whether the class gives the flag a meaning."""
    return scope.table is not None and scope.table.accepts(key) and key not in scope.table.unread


def biases(context: Context) -> list[str] | None:
    """The attention projections that have one; null for a model without attention."""
    found = [m.biases for m in context.mixers if hasattr(m, "biases")]
    return sorted({name for names in found for name in names}) if found else None


def inner(context: Context) -> list[str] | None:
    """The same of the feed-forward networks."""
    found = [m for m in context.mixers if m.kind == "mlp"]
    return sorted({name for m in found for name, has in (("up", m.bias), ("down", m.output_bias)) if has}) if found else None  # type: ignore[attr-defined]
