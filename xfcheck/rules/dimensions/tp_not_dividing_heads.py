"""A tensor-parallel size that the query heads cannot be split into.

## What it does
Reports `deploy.tensor_parallel` that does not divide the number of query heads, and lists every size that does.

## Why is this bad?
Tensor parallelism gives each rank a whole number of heads. Engines refuse the size at start, after the machine was rented: 28 heads
run on 1, 2, 4, 7, 14 or 28 ranks, never on 8. More ranks than heads are a warning where no engine is named: some run attention
data-parallel.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 192, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```yaml
deploy: {tensor_parallel: 3}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 192, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```yaml
deploy: {tensor_parallel: 4}
```

## Source
Shoeybi et al. 2019, arXiv 1909.08053, section 3; vllm-project/vllm#414; vllm-project/vllm#11797; THU-KEG/AdaptThink#1;
deepspeedai/DeepSpeed#3634.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._heads import heads
from ._sizes import divisors, query_heads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF106", "tp-not-dividing-heads", "error", needs=("yaml:deploy",))
def check(context: Context) -> Iterator[Hit]:
    """Hq % tp, with all tp that divide."""
    tp = context.deploy.tensor_parallel
    for size in query_heads(context) if tp is not None else ():
        if size.value % tp:
            shared = sorted({h.key_value for h in heads(context) if h.query == size.value and 0 < h.key_value < size.value})
            note = f"; above {shared[0]} the {shared[0]} key-value heads are held more than once" if shared else ""
            # attention that is replicated over data-parallel ranks takes more ranks than heads; which engine does so is not said
            spread = context.deploy.engine is None and tp % size.value == 0
            yield Hit(
                f"{size.value} query heads are not divisible by tensor_parallel {tp}",
                "/deploy/tensor_parallel",
                severity="warning" if spread else None,
                help=f"tensor_parallel {', '.join(map(str, divisors(size.value)))}{note}",
                file="xfcheck.yaml",
                related=(Related(f"{size.value} query heads", size.at),),
            )
