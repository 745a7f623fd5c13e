"""A capacity factor with a dispatcher that has none.

## What it does
Reports a capacity factor with the all-gather dispatcher, warns of one with the flex dispatcher, and says where the capacity is
rounded up to the tensor-parallel size.

## Why is this bad?
Tokens are dropped while they are exchanged; a dispatcher that gathers all tokens everywhere cannot do it, and the framework stops
at an assertion.

## Example
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null}
```
```yaml
train: {capacity_factor: 1.0, dispatcher: allgather}
```

## Use instead
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null}
```
```yaml
train: {capacity_factor: 1.0, dispatcher: alltoall}
```

## Source
NVIDIA/Megatron-LM#1277; deepspeedai/DeepSpeed#5156.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._routing import routings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF511", "capacity-dispatcher", "error", needs=("yaml:train",))
def check(context: Context) -> Iterator[Hit]:
    """The dispatcher beside a capacity factor, and the capacity in tokens."""
    train, tp = context.train, context.deploy.tensor_parallel
    factor, dispatcher = train.capacity_factor, train.dispatcher
    found = next(routings(context), None) if factor is not None else None
    if found is None:
        return
    if dispatcher not in (None, "alltoall"):
        yield Hit(
            f"capacity_factor {factor:g} with the {dispatcher} dispatcher",
            "/train/dispatcher",
            help="alltoall, or capacity_factor null",
            severity=None if dispatcher == "allgather" else "warning",
            file="xfcheck.yaml",
            related=(Related(f"capacity_factor {factor:g}", "/train/capacity_factor", "xfcheck.yaml"),),
        )
    elif tp is not None and tp > 1 and train.sequence_length and found.chosen:
        tokens = train.sequence_length * (train.batch or 1)
        capacity = -(-int(tokens * found.chosen * factor) // found.experts)
        if capacity % tp:
            rounded = -(-capacity // tp) * tp
            said = f"the capacity of {capacity} tokens an expert is rounded up to {rounded}, a multiple of tensor_parallel {tp}"
            yield Hit(said, "/train/capacity_factor", severity="info", file="xfcheck.yaml")
