"""How many choices a capacity drops.

## What it does
Says how many tokens an expert takes at the given capacity factor, and the share of choices dropped when the fullest expert has
twice its fair load.

## Why is this bad?
With a capacity, what is above it is dropped or sent elsewhere. The share follows from the factor and the imbalance alone.

## Example
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null}
```
```yaml
train: {capacity_factor: 1.25, sequence_length: 64, batch: 2}
```

## Use instead
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null}
```
```yaml
train: {sequence_length: 64, batch: 2}
```

## Source
Fedus et al. 2021, arXiv 2101.03961, section 2.2; deepseek-ai/DeepSeek-MoE#29.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._routing import routings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF512", "capacity-drop-rate", "info", needs=("yaml:train",))
def check(context: Context) -> Iterator[Hit]:
    """floor(cf * T * k / E) tokens an expert, and 1 - cf / m dropped of an expert with m times its fair load."""
    train = context.train
    factor = train.capacity_factor
    for r in routings(context) if factor is not None and train.sequence_length is not None else ():
        if r.chosen is None or r.chosen < 1:
            continue
        tokens = train.sequence_length * (train.batch or 1)
        fair = tokens * r.chosen / r.experts
        dropped = max(0.0, 1 - factor / 2)
        yield Hit(
            f"an expert takes {int(factor * fair)} of {tokens} tokens ({fair:g} are its fair share); "
            f"with twice that, {dropped:.0%} of its choices are dropped",
            "/train/capacity_factor",
            file="xfcheck.yaml",
        )
