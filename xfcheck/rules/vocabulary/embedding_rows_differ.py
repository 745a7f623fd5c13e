"""An embedding table of another height than the config says.

## What it does
Compares the rows of the embedding table and of an untied head in the checkpoint's headers with those that the config builds.

## Why is this bad?
The checkpoint cannot be loaded, or is loaded with the table left at random values (`ignore_mismatched_sizes`). It happens where the table
was resized and the config was not saved with it.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 8, "num_hidden_layers": 1,
 "num_attention_heads": 1, "num_key_value_heads": 1, "intermediate_size": 16, "vocab_size": 100, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "tie_word_embeddings": true}
```
```safetensors model.safetensors
{"model.embed_tokens.weight": ["BF16", 104, 8],
 "model.layers.0.self_attn.q_proj.weight": ["BF16", 8, 8],
 "model.layers.0.self_attn.k_proj.weight": ["BF16", 8, 8],
 "model.layers.0.self_attn.v_proj.weight": ["BF16", 8, 8],
 "model.layers.0.self_attn.o_proj.weight": ["BF16", 8, 8],
 "model.layers.0.mlp.gate_proj.weight": ["BF16", 16, 8],
 "model.layers.0.mlp.up_proj.weight": ["BF16", 16, 8],
 "model.layers.0.mlp.down_proj.weight": ["BF16", 8, 16],
 "model.layers.0.input_layernorm.weight": ["BF16", 8],
 "model.layers.0.post_attention_layernorm.weight": ["BF16", 8],
 "model.norm.weight": ["BF16", 8]}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 8, "num_hidden_layers": 1,
 "num_attention_heads": 1, "num_key_value_heads": 1, "intermediate_size": 16, "vocab_size": 104, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "tie_word_embeddings": true}
```
```safetensors model.safetensors
{"model.embed_tokens.weight": ["BF16", 104, 8],
 "model.layers.0.self_attn.q_proj.weight": ["BF16", 8, 8],
 "model.layers.0.self_attn.k_proj.weight": ["BF16", 8, 8],
 "model.layers.0.self_attn.v_proj.weight": ["BF16", 8, 8],
 "model.layers.0.self_attn.o_proj.weight": ["BF16", 8, 8],
 "model.layers.0.mlp.gate_proj.weight": ["BF16", 16, 8],
 "model.layers.0.mlp.up_proj.weight": ["BF16", 16, 8],
 "model.layers.0.mlp.down_proj.weight": ["BF16", 8, 16],
 "model.layers.0.input_layernorm.weight": ["BF16", 8],
 "model.layers.0.post_attention_layernorm.weight": ["BF16", 8],
 "model.norm.weight": ["BF16", 8]}
```

## Source
huggingface/transformers#25732.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...checkpoint.against import compared
from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF612", "embedding-rows-differ", "error", needs=("file:*.safetensors",))
def check(context: Context) -> Iterator[Hit]:
    """Tables with one row a token whose first size differs."""
    found = compared(context)
    scope = context.scopes[0]
    for entry in () if found is None else found.shape:
        wanted, have = entry.expected, entry.found
        if entry.role in TABLES and len(wanted) == len(have) and wanted[:1] != have[:1] and wanted[1:] == have[1:]:
            yield Hit(
                f"{entry.name} has {have[0]} rows in the checkpoint, vocab_size is {wanted[0]}",
                scope.at("vocab_size"),
                help=f"vocab_size {have[0]}, or the checkpoint that belongs to this config",
            )


TABLES = ("token_embedding.embedding", "token_embedding.stack_embedding", "head.head", "head.head_bias")
"""Roles of the tensors with one row a token."""
