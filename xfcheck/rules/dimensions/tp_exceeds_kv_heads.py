"""Key-value heads that tensor parallelism splits unevenly or holds twice.

## What it does
Reports key-value heads that `deploy.tensor_parallel` does not divide, and a size above their number: an error for an engine that
cannot hold a head on several ranks, else a warning that names how many heads each rank holds.

## Why is this bad?
Below the number of key-value heads each rank holds Hkv / tp of them; above it every head is held tp / Hkv times, so the cache of
all ranks together grows with tp and a rank saves nothing more. Engines that do not replicate refuse the size.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```yaml
deploy: {tensor_parallel: 4, engine: transformers}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```yaml
deploy: {tensor_parallel: 4, engine: transformers}
```

## Source
huggingface/transformers#48307; pytorch/torchtitan#2577; Ainslie et al. 2023, arXiv 2305.13245, section 2.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._heads import heads
from ._sizes import divisors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


REPLICATES = ("vllm", "vllm-ascend", "sglang", "tensorrt-llm", "lmdeploy", "megatron")
"""Engines that hold one key-value head on several ranks (Megatron-LM splits its fused query-key-value matrix)."""


@rule("XF107", "tp-exceeds-kv-heads", "error", needs=("yaml:deploy",))
def check(context: Context) -> Iterator[Hit]:
    """Hkv % tp, or tp % Hkv and an engine that replicates; where they are as many as the query heads, XF106 says it."""
    tp, engine = context.deploy.tensor_parallel, context.deploy.engine
    for pair in heads(context) if tp is not None else ():
        kv = pair.key_value
        if kv < 1 or kv == pair.query or (tp <= kv and kv % tp == 0):
            continue
        if tp < kv:
            said, severity = f"{kv} key-value heads are not divisible by tensor_parallel {tp}", "error"
        elif tp % kv:
            said, severity = f"tensor_parallel {tp} is no multiple of {kv} key-value heads: they cannot be replicated evenly", "error"
        elif engine in REPLICATES:
            said, severity = (
                f"tensor_parallel {tp} is above {kv} key-value heads: each rank holds 1, {tp // kv} ranks the same one",
                "warning",
            )
        elif engine is None:
            said, severity = f"tensor_parallel {tp} is above {kv} key-value heads: only engines that replicate them take it", "warning"
        else:
            said, severity = f"tensor_parallel {tp} is above {kv} key-value heads, and {engine} does not replicate them", "error"
        yield Hit(
            said,
            "/deploy/tensor_parallel",
            help=f"tensor_parallel {', '.join(map(str, divisors(kv)))}",
            severity="error" if severity == "error" else "warning",
            file="xfcheck.yaml",
            related=(Related(f"{kv} key-value heads", pair.key_value_at),),
        )
