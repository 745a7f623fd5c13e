"""A capacity factor out of its range.

## What it does
Reports a capacity factor above experts / experts a token, which cannot be used up, and warns of one below 1, which drops tokens
even where the load is even. Null is dropless.

## Why is this bad?
An expert takes at most factor x tokens x k / E tokens. Above E / k that is more than there are tokens, and buffers are allocated
for it: 16384 asked for a terabyte.

## Example
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null}
```
```yaml
train: {capacity_factor: 16384.0}
```

## Use instead
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null}
```
```yaml
train: {capacity_factor: 1.25}
```

## Source
Fedus et al. 2021, arXiv 2101.03961, section 2.2; databricks/megablocks#125.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._routing import routings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF510", "capacity-factor-range", "error", needs=("yaml:train",))
def check(context: Context) -> Iterator[Hit]:
    """1 <= factor <= E / k."""
    factor = context.train.capacity_factor
    for r in routings(context) if factor is not None else ():
        if not r.chosen or r.chosen < 1:
            continue
        most = r.experts / r.chosen
        related = (Related(f"{r.experts} experts, {r.chosen} a token", r.experts_at),)
        if factor > most:
            said = f"capacity_factor {factor:g} is above {r.experts} / {r.chosen} = {most:g}, at which an expert takes every token"
            yield Hit(said, "/train/capacity_factor", help="1 to 2, or null for dropless", file="xfcheck.yaml", related=related)
        elif factor < 1:
            said = f"capacity_factor {factor:g} drops {1 - factor:.0%} of the choices even where the load is even"
            yield Hit(said, "/train/capacity_factor", help="at least 1", severity="warning", file="xfcheck.yaml", related=related)
