"""Weights of another dtype than the config says.

## What it does
Compares the dtype of the matrices in safetensors headers with `dtype` (`torch_dtype`); where only an index is at hand, its
`total_size` with the bytes of the tensors at that dtype.

## Why is this bad?
Loaders that take the config's dtype cast every weight: bfloat16 to float16 overflows, float32 to bfloat16 loses what was trained. Tools
that size memory from the config are wrong by a factor.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 1,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16"}
```
```json model.safetensors.index.json
{"metadata": {"total_size": 189184}, "weight_map": {
 "model.embed_tokens.weight": "model.safetensors",
 "model.layers.0.self_attn.q_proj.weight": "model.safetensors",
 "model.layers.0.self_attn.k_proj.weight": "model.safetensors",
 "model.layers.0.self_attn.v_proj.weight": "model.safetensors",
 "model.layers.0.self_attn.o_proj.weight": "model.safetensors",
 "model.layers.0.mlp.gate_proj.weight": "model.safetensors",
 "model.layers.0.mlp.up_proj.weight": "model.safetensors",
 "model.layers.0.mlp.down_proj.weight": "model.safetensors",
 "model.layers.0.input_layernorm.weight": "model.safetensors",
 "model.layers.0.post_attention_layernorm.weight": "model.safetensors",
 "model.norm.weight": "model.safetensors",
 "lm_head.weight": "model.safetensors"}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 1,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "float32"}
```
```json model.safetensors.index.json
{"metadata": {"total_size": 189184}, "weight_map": {
 "model.embed_tokens.weight": "model.safetensors",
 "model.layers.0.self_attn.q_proj.weight": "model.safetensors",
 "model.layers.0.self_attn.k_proj.weight": "model.safetensors",
 "model.layers.0.self_attn.v_proj.weight": "model.safetensors",
 "model.layers.0.self_attn.o_proj.weight": "model.safetensors",
 "model.layers.0.mlp.gate_proj.weight": "model.safetensors",
 "model.layers.0.mlp.up_proj.weight": "model.safetensors",
 "model.layers.0.mlp.down_proj.weight": "model.safetensors",
 "model.layers.0.input_layernorm.weight": "model.safetensors",
 "model.layers.0.post_attention_layernorm.weight": "model.safetensors",
 "model.norm.weight": "model.safetensors",
 "lm_head.weight": "model.safetensors"}}
```

## Source
transformers 5.24.0, modeling_utils.py, `_get_dtype`; huggingface/accelerate#3379.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...checkpoint.against import compared
from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


WIDTHS = {"float32": 4, "bfloat16": 2, "float16": 2}


@rule("XF910", "checkpoint-dtype-differs", "warning", needs=("file:*.safetensors",))
def check(context: Context) -> Iterator[Hit]:
    """Entries of the comparison by dtype, else the index's size."""
    found, model = compared(context), context.model
    if found is None or model is None or model.architecture.dtype is None or found.quantised:
        return
    at = next((f"/{k}" for k in ("dtype", "torch_dtype") if k in context.data), context.scopes[0].at("torch_dtype"))
    declared = model.architecture.dtype
    counts: dict[str, int] = {}
    for entry in found.dtype:
        counts[entry.found] = counts.get(entry.found, 0) + entry.tensors
    for dtype, count in counts.items():
        yield Hit(
            f"{count} of {found.found} tensors are {dtype} in the checkpoint, the config says {declared}",
            at,
            help=f'"{dtype}" where it is what was trained',
            severity="warning" if dtype in WIDTHS and model.architecture.quantization is None else "info",
        )
    size, expected = found.bytes_found, found.bytes_expected
    if found.headers or size is None or not expected or declared not in WIDTHS or found.missing or found.unexpected:
        return
    # vectors and buffers in more bits move a size by a few per cent at most
    for dtype, width in WIDTHS.items():
        if width != WIDTHS[declared] and abs(size * WIDTHS[declared] - expected * width) < 0.02 * expected * width:
            said = f"the index says {size:,} bytes: that is {dtype} or another dtype of {8 * width} bits; the config says {declared}"
            yield Hit(said, at, help=f"{expected:,} bytes would be {declared}")
            return
