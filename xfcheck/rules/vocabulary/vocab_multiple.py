"""A vocabulary that no block size divides.

## What it does
Warns where the vocabulary does not divide among the ranks of tensor parallelism and the engine is none that pads, and where
Megatron-LM will pad it. An info names the next multiple of 128 otherwise.

## Why is this bad?
Matrix kernels work in blocks of 64 or 128 columns. Frameworks that pad write checkpoints with more rows than the config says,
and the next reader finds two numbers.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}
```
```yaml
train: {framework: megatron}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 128, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}
```
```yaml
train: {framework: megatron}
```

## Source
NVIDIA-NeMo/Megatron-Bridge#1853; epfLLM/Megatron-LLM#50; Shoeybi et al. 2019, arXiv 1909.08053, section 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


BLOCK = 128
PADDING = ("vllm", "vllm-ascend", "sglang", "llama.cpp")
"""Engines that pad the table themselves, or do not split it."""


@rule("XF611", "vocab-multiple", "warning", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """V % tp, V % (128 * tp) for Megatron, V % 128."""
    ranks, engine = context.deploy.tensor_parallel or 1, context.deploy.engine
    megatron = "megatron" in (context.train.framework, engine)
    for scope in context.scopes:
        rows = scope.whole("vocab_size")
        if rows is None or rows < 1:
            continue
        unit = BLOCK * ranks if megatron else BLOCK
        padded = -(-rows // unit) * unit
        split = rows % ranks and engine not in PADDING
        if padded == rows and not split:
            continue
        how = f"{rows:,} % {ranks} = {rows % ranks}; " if split else ""
        whom = f"Megatron-LM pads to {padded:,}, a multiple of {unit}" if megatron else f"the next multiple of {unit} is {padded:,}"
        yield Hit(
            f"vocabulary of {rows:,}: {how}{whom} ({padded - rows:+,} rows)",
            scope.at("vocab_size"),
            help=f"vocab_size {padded}, the rows beyond the tokenizer unused",
            severity="warning" if megatron or split else "info",
            related=(Related(f"tensor_parallel {ranks}", "/deploy/tensor_parallel", "xfcheck.yaml"),) if split else (),
        )
