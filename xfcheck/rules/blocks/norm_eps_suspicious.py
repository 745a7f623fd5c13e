"""An epsilon far from any norm's.

## What it does
Warns of a norm's epsilon outside 1e-12 to 1e-3 that is not the class's own default; as an info, lists the epsilons of a config with
several that differ.

## Why is this bad?
The epsilon keeps a division from zero. At 0 a row of zeros gives NaN, at 1 it dominates the variance and flattens every norm; both
load without a word.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1.0,
 "torch_dtype": "bfloat16"}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
Zhang and Sennrich 2019, arXiv 1910.07467; huggingface/transformers#38025; NVIDIA-NeMo/Megatron-Bridge#5712; foundation-model-
stack/foundation-model-stack#99.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._facts import facts
from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


LOWEST, HIGHEST = 1e-12, 1e-3


@rule("XF404", "norm-eps-suspicious", "warning", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Every epsilon of every config object that its class reads."""
    for scope in context.nested:
        given = {
            key: scope.data[key] for key in scope.data if key in facts()["epsilons"] and (scope.table is None or scope.table.accepts(key))
        }
        numbers = {key: value for key, value in given.items() if isinstance(value, int | float) and not isinstance(value, bool)}
        for key, value in numbers.items():
            own = None if scope.table is None else scope.table.default(key)
            if value >= 0 and value != own and not LOWEST <= value <= HIGHEST:
                yield Hit(
                    f"{key} is {value:g}, outside {LOWEST:g} to {HIGHEST:g}",
                    scope.at(key),
                    help="1e-5 or 1e-6" if own is None else f"the class has {own:g}",
                )
        if len(set(numbers.values())) > 1:
            (first, one), *others = numbers.items()
            related = tuple(Related(f"{key} {value:g}", scope.at(key)) for key, value in others)
            yield Hit(
                f"norms with different epsilons: {first} {one:g}, {', '.join(f'{k} {v:g}' for k, v in others)}",
                scope.at(first),
                severity="info",
                related=related,
            )
