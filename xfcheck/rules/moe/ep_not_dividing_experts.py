"""An expert-parallel size that does not divide the experts.

## What it does
Reports `deploy.expert_parallel` that leaves a remainder, with the sizes that do not and the number of redundant experts that would
fill it: a warning for an engine that places experts unevenly, else an error.

## Why is this bad?
Each rank holds E / ep experts. Most engines assert it at start; those that do not give some ranks one expert more, and all wait for
the fullest.

## Example
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": null}
```
```yaml
deploy: {expert_parallel: 3}
```

## Use instead
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": null}
```
```yaml
deploy: {expert_parallel: 4}
```

## Source
vllm-project/vllm#52435; pytorch/torchtitan#4258; vllm-project/vllm-ascend#16384.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ..dimensions._sizes import divisors
from ._routing import routings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


UNEVEN = ("vllm-ascend", "ktransformers")
"""Engines that give the first ranks one expert more."""


@rule("XF505", "ep-not-dividing-experts", "error", needs=("yaml:deploy",))
def check(context: Context) -> Iterator[Hit]:
    """E % ep."""
    ep, engine = context.deploy.expert_parallel, context.deploy.engine
    for r in routings(context) if ep is not None else ():
        if r.experts % ep == 0:
            continue
        more = -r.experts % ep
        placed = ", ".join(str(r.experts // ep + (rank < r.experts % ep)) for rank in range(min(ep, 8))) + (", ..." if ep > 8 else "")
        uneven = engine in UNEVEN
        yield Hit(
            f"{r.experts} experts are not divisible by expert_parallel {ep}" + (f": {engine} places {placed}" if uneven else ""),
            "/deploy/expert_parallel",
            help=f"expert_parallel {', '.join(map(str, divisors(r.experts)))}, "
            f"or {more} redundant expert{'s' * (more > 1)} ({r.experts + more})",
            severity="warning" if uneven else None,
            file="xfcheck.yaml",
            related=(Related(f"{r.experts} experts", r.experts_at),),
        )
