"""A tie flag that the checkpoint contradicts.

## What it does
Compares whether the config ties the head to the embedding table with the tensors that the checkpoint holds. An error where the head is not
tied and not stored, a warning where it is tied and stored all the same.

## Why is this bad?
An untied head that no file holds is left at random values: the model loads and writes garbage, with one line in the log. A stored head of a
tied model is dropped by one reader and used by another; where its bytes differ from the table's, they give different answers.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 1,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "tie_word_embeddings": false}
```
```json model.safetensors.index.json
{"metadata": {}, "weight_map": {
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
 "model.norm.weight": "model.safetensors"}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 1,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "tie_word_embeddings": true}
```
```json model.safetensors.index.json
{"metadata": {}, "weight_map": {
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
 "model.norm.weight": "model.safetensors"}}
```

## Source
vllm-project/vllm#5621, #53020; ml-explore/mlx-lm#1298; pegainfer-project/pegainfer#544.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...checkpoint.against import compared
from .._finding import Edit, Fix, Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF401", "tie-flag-vs-checkpoint", "error", needs=("file:*.safetensors",))
def check(context: Context) -> Iterator[Hit]:
    """The head among the missing tensors, or among the tied ones that are stored."""
    found = compared(context)
    if found is None:
        return
    scope = context.scopes[0]
    at = context.root.at("tie_word_embeddings") if context.root.has("tie_word_embeddings") else scope.at("tie_word_embeddings")
    lost = {e.role for e in found.missing}
    for entry in found.missing:
        # where the table is missing too, more is amiss than the flag
        if entry.role == "head.head" and "token_embedding.embedding" not in lost:
            fix = Fix("tie the head to the table", (Edit("set", at, True),), safe=False)
            said = f"tie_word_embeddings is false and the checkpoint holds no {entry.name}: the head stays at random values"
            yield Hit(said, at, help="tie_word_embeddings true, or a checkpoint with the head", fix=fix)
    for entry in (e for e in found.tied if e.role == "head.head"):
        written = context.root.boolean("tie_word_embeddings", default=False), scope.boolean("tie_word_embeddings", default=False)
        flag = "the class ties the head whatever the flag says" if False in written else "the head is tied to the embedding table"
        yield Hit(
            f"{flag}, and the checkpoint holds {entry.name} too",
            at,
            help="equal bytes are redundant; different ones mean tie_word_embeddings false",
            severity="info" if found.quantised or False in written else "warning",
        )
