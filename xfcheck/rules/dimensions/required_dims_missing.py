"""A size that the file leaves to its class.

## What it does
Reports a size (model width, depth, query heads, feed-forward width, vocabulary) that the config of a single model does not give,
and says which number its class fills in. Sizes that a nested config leaves out, and the other dimensions (key-value heads, head
width, experts), are an info.

## Why is this bad?
A loader fills a missing key with the default of its config class and says nothing: a llama file without vocab_size becomes a model
with 32000 rows, one without num_hidden_layers has 32 layers. The defaults differ from class to class, so the same file means
another model under another type.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "max_position_embeddings": 64}
```

## Source
ggml-org/llama.cpp#3421; explosion/curated-transformers#201; transformers 5.24.0, the defaults of each `configuration_*.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...families._read.entry import NESTED
from .._finding import Hit
from .._names import DIMENSIONS, declared
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


ATTENTION = ("attention", "cross_attention", "linear_attention")
"""Components of mixers that have heads."""
STATE_SPACE = ("state_size", "ssm_state_size")
SAID = ("heads", "feed_forward")
"""Dimensions that a model without attention is not asked for."""
PARTS = (*NESTED, "vision_config", "audio_config", "encoder", "decoder")
"""Keys of the models that a composite config consists of."""


@rule("XF101", "required-dims-missing", "error", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Class defaults among the dimensions: errors at the root of a single model, infos elsewhere and for what is no size."""
    for scope in context.nested:
        if scope.table is None:
            continue
        attention = attends(context, scope)
        single = not scope.pointer and not any(key in PARTS for key in scope.table.sub_configs)
        for dimension, row in DIMENSIONS.items():
            if dimension in SAID and not attention:
                continue
            for key in declared(scope.table, dimension):
                default = scope.table.default(key)
                if isinstance(default, int) and not isinstance(default, bool) and not scope.has(key) and matters(context, scope, key):
                    yield Hit(
                        f"{key} is not written: {scope.table.class_name} takes {default} as the {row.label}",
                        scope.at(key),
                        help=f'write "{key}"',
                        severity="error" if single and row.size else "info",
                    )


def attends(context: Context, scope: Scope) -> bool:
    """Whether the model has attention: a pure state-space model needs no heads and no feed-forward width."""
    if not context.of_model(scope):
        return not any(scope.table is not None and key in scope.table.fields for key in STATE_SPACE) or scope.has("num_attention_heads")
    return any(mixer.component in ATTENTION for mixer in context.mixers)


def matters(context: Context, scope: Scope, key: str) -> bool:
    """Whether the default moved a number of the model, as far as one could be built: an unused feed-forward width is nobody's loss."""
    if context.model is None or not context.of_model(scope):
        return True
    assumed = context.model.settings.reading.assumptions
    return any(f"{scope.pointer}/{name}" in assumed for name in scope.spellings(key))
