"""The load of an expert and what routing moves.

## What it does
Says how many tokens an expert gets at an even load, that nothing is dropped without a capacity factor, and how many bytes the
exchange moves a layer under expert parallelism.

## Why is this bad?
The load follows from tokens, experts and k; the exchange sends each token to its k experts and back.

## Example
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```

## Source
Lepikhin et al. 2020, arXiv 2006.16668, section 3.2; deepseek-ai/DeepSeek-MoE#29.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._names import first
from .._registry import rule
from ._routing import KEYS, routings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF516", "routing-load", "info", needs=KEYS)
def check(context: Context) -> Iterator[Hit]:
    """T * k / E, and 2 * T * k * d * 2 bytes * (1 - 1 / ep) a layer."""
    train, ep = context.train, context.deploy.expert_parallel or 1
    for r in routings(context):
        if not r.chosen or r.chosen < 1:
            continue
        length = train.sequence_length or context.deploy.context_length or 4096
        tokens = length * (train.batch or 1)
        dropless = "no capacity factor: dropless" if train.capacity_factor is None else f"capacity factor {train.capacity_factor:g}"
        moved = ""
        width = first(r.scope, "width")
        if ep > 1 and width is not None:
            moved = f"; {2 * tokens * r.chosen * width[1] * 2 * (ep - 1) // ep:,} bytes a layer are exchanged among {ep} ranks in 16 bits"
        load = tokens * r.chosen / r.experts
        yield Hit(
            f"{tokens} tokens give each of {r.experts} experts {load:g} at an even load ({r.chosen} a token; {dropless}){moved}",
            r.experts_at,
        )
