"""Files of a checkpoint that are not there, or that hold other tensors than the index says.

## What it does
Compares the files that `model.safetensors.index.json` (or the numbering `-00001-of-00003`) names with those in the folder, and
where the index puts each tensor with the headers. Files of the checkpoint's kind that the index does not name are an info. An index
without any file is fine: the weights are elsewhere.

## Why is this bad?
A download or a copy that broke off loads with an error after minutes at best. A file left over from an earlier save is read by
tools that take every safetensors file in the folder.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 8, "num_hidden_layers": 1,
 "num_attention_heads": 1, "num_key_value_heads": 1, "intermediate_size": 16, "vocab_size": 104, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16"}
```
```json model.safetensors.index.json
{"metadata": {}, "weight_map": {
 "model.embed_tokens.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.self_attn.q_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.self_attn.k_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.self_attn.v_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.self_attn.o_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.mlp.gate_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.mlp.up_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.mlp.down_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.input_layernorm.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.post_attention_layernorm.weight": "model-00001-of-00002.safetensors",
 "model.norm.weight": "model-00001-of-00002.safetensors",
 "lm_head.weight": "model-00002-of-00002.safetensors"}}
```
```safetensors model-00001-of-00002.safetensors
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
 1e-05, "torch_dtype": "bfloat16"}
```
```json model.safetensors.index.json
{"metadata": {}, "weight_map": {
 "model.embed_tokens.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.self_attn.q_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.self_attn.k_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.self_attn.v_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.self_attn.o_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.mlp.gate_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.mlp.up_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.mlp.down_proj.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.input_layernorm.weight": "model-00001-of-00002.safetensors",
 "model.layers.0.post_attention_layernorm.weight": "model-00001-of-00002.safetensors",
 "model.norm.weight": "model-00001-of-00002.safetensors",
 "lm_head.weight": "model-00002-of-00002.safetensors"}}
```
```safetensors model-00001-of-00002.safetensors
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
```safetensors model-00002-of-00002.safetensors
{"lm_head.weight": ["BF16", 104, 8]}
```

## Source
safetensors, README, "Format"; transformers 5.24.0, utils/hub.py, `get_checkpoint_shard_files`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...checkpoint.files import checkpoint_of
from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


MOST = 5
"""Names that one message lists."""


@rule("XF908", "checkpoint-files-missing", "error", needs=("file:*.safetensors",))
def check(context: Context) -> Iterator[Hit]:
    """Missing and extra files, then tensors that lie elsewhere."""
    checkpoint = checkpoint_of(context.folder)
    if checkpoint is None:
        return
    index, pointer = checkpoint.index, "" if checkpoint.index is None else "/weight_map"
    if checkpoint.missing_files:
        by = "the index" if index else "their numbering"
        count = len(checkpoint.missing_files)
        said = f"{count} of {count + len(checkpoint.files)} files that {by} names are not there: {_some(checkpoint.missing_files)}"
        yield Hit(said, pointer, help="download or copy them again", file=index)
    if checkpoint.misplaced:
        name, file, held = checkpoint.misplaced[0]
        where = f"{held} holds it" if held is not None else "no file here holds it"
        more = f" (and {len(checkpoint.misplaced) - 1} more tensors)" if len(checkpoint.misplaced) > 1 else ""
        yield Hit(f"the index puts {name} into {file}, {where}{more}", pointer, help="index and files of one save", file=index)
    if checkpoint.twice:
        name, first, second = checkpoint.twice[0]
        more = f" (and {len(checkpoint.twice) - 1} more tensors)" if len(checkpoint.twice) > 1 else ""
        yield Hit(f"{name} is in {first} and in {second}{more}", pointer, help="one of them is left over", severity="warning", file=index)
    if checkpoint.extra_files:
        said = f"{len(checkpoint.extra_files)} safetensors files that the index does not name: {_some(checkpoint.extra_files)}"
        yield Hit(said, pointer, help="left over from another save?", severity="info", file=index)


def _some(names: list[str]) -> str:
    more = f", and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more
