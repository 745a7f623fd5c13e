"""Grouped queries that fall back to the slow kernel.

## What it does
Warns of a call with `enable_gqa` that no fused kernel of PyTorch takes: 32-bit floats, heads wider than 256, an explicit mask,
or a device before Ampere.

## Why is this bad?
The call falls through to the plain implementation without a word, which writes out all scores: slower by an order of magnitude,
and memory grows with the square of the length.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
kernel: {backend: sdpa, dtype: fp32, enable_gqa: true, query_heads: 8, kv_heads: 2, head_dim: 64}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```
```yaml
kernel: {backend: sdpa, dtype: bf16, enable_gqa: true, query_heads: 8, kv_heads: 2, head_dim: 64}
```

## Source
pytorch/pytorch#181528; huggingface/transformers#46960; huggingface/transformers#45636; huggingface/transformers#48634.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


WIDEST = 256
OLD = ("v100", "t4", "p100", "p40", "p4", "rtx-2080", "rtx-2080-ti", "quadro-rtx-8000", "titan-rtx", "gtx-1080-ti")
"""Devices before compute capability 8.0."""


@rule("XF801", "gqa-flag-math-fallback", "warning", needs=("yaml:kernel",))
def check(context: Context) -> Iterator[Hit]:
    """What keeps the fused kernels from the call."""
    kernel = context.kernel
    grouped = kernel.query_heads is None or kernel.kv_heads is None or kernel.query_heads != kernel.kv_heads
    if kernel.enable_gqa is not True or not grouped or (kernel.backend or "sdpa").lower() != "sdpa":
        return
    device = (context.deploy.device or "").lower()
    reasons = [
        ("/kernel/dtype", "32-bit floats") if kernel.dtype == "fp32" else None,
        ("/kernel/head_dim", f"heads of {kernel.head_dim}, above {WIDEST}") if (kernel.head_dim or 0) > WIDEST else None,
        ("/kernel/explicit_mask", "an explicit mask") if kernel.explicit_mask else None,
        ("/deploy/device", f"{device}, before Ampere") if any(device == old or device.startswith(f"{old}-") for old in OLD) else None,
    ]
    found = [reason for reason in reasons if reason is not None]
    if found:
        yield Hit(
            f"enable_gqa with {' and '.join(said for _, said in found)} runs the plain kernel, which writes out all scores",
            found[0][0],
            help="bf16 and a causal flag, or keys and values repeated for each query head",
            file="xfcheck.yaml",
        )
