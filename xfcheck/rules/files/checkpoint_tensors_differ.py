"""Tensors of a checkpoint that are not those of its config.

## What it does
Compares the names and shapes in safetensors headers (names alone where only an index is at hand) with the tensors that the config
describes: an error for missing ones and other shapes, a warning for tensors that the model does not have. Names of older versions,
a base model with or without its prefix, draft layers, tied and quantised tensors are known. The head and the table have rules of
their own (XF401, XF612).

## Why is this bad?
What is missing is left at random values, what is unexpected is dropped, and both are one line in a log.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 1,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16"}
```
```json model.safetensors.index.json
{"metadata": {}, "weight_map": {
 "model.embed_tokens.weight": "model.safetensors",
 "model.layers.0.self_attn.q_proj.weight": "model.safetensors",
 "model.layers.0.self_attn.k_proj.weight": "model.safetensors",
 "model.layers.0.self_attn.v_proj.weight": "model.safetensors",
 "model.layers.0.self_attn.o_proj.weight": "model.safetensors",
 "model.layers.0.mlp.gate_proj.weight": "model.safetensors",
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
 1e-05, "torch_dtype": "bfloat16"}
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
 "model.norm.weight": "model.safetensors",
 "lm_head.weight": "model.safetensors"}}
```

## Source
transformers 5.24.0, modeling_utils.py, `from_pretrained` (missing, unexpected and mismatched keys).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...checkpoint.against import compared
from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...checkpoint.against import Comparison, Entry
    from .._context import Context
    from .._finding import Severity

MOST = 5
"""Findings of one kind; the rest is counted in the last of them."""
TABLES = ("token_embedding.embedding", "token_embedding.stack_embedding", "head.head", "head.head_bias")


@rule("XF909", "checkpoint-tensors-differ", "error", needs=("file:*.safetensors",))
def check(context: Context) -> Iterator[Hit]:
    """Missing, shape, unexpected; infos where the ledger is not held to a reference, or where most of the checkpoint is not at hand."""
    found = compared(context)
    if found is None or not found.found:
        return
    model = context.model
    sure = model is not None and model.fidelity_by["parameters"] == "exact"
    lost = [e for e in found.missing if e.role != "head.head" or any(m.role == "token_embedding.embedding" for m in found.missing)]
    partial = 2 * sum(e.tensors for e in lost) > found.expected
    level: Severity = "error" if sure and not partial else "warning" if sure else "info"
    yield from _some(lost, level, lambda e: f"the checkpoint holds no {e.name}{_many(e)}")
    shapes = [e for e in found.shape if not (e.role in TABLES and len(e.expected) == len(e.found) and e.expected[1:] == e.found[1:])]
    yield from _some(
        shapes,
        "error" if sure else "info",
        lambda e: f"{e.name} is {e.found} in the checkpoint, the config makes it {e.expected}{_many(e)}",
    )
    mild: Severity = "warning" if sure and not found.quantised and not _quantised(found, context) else "info"
    yield from _some(found.unexpected, mild, lambda e: f"the checkpoint holds {e.name}{_many(e)}, which the model has not")


def _some(entries: list[Entry], severity: Severity, said: Callable[[Entry], str]) -> Iterator[Hit]:
    for at, entry in enumerate(entries[:MOST]):
        more = f"; {len(entries) - MOST} more of this kind" if at == MOST - 1 and len(entries) > MOST else ""
        yield Hit(said(entry) + more, help="`xfcheck tensors PATH --against CHECKPOINT` lists all", severity=severity)


def _many(entry: Entry) -> str:
    parts = [f"layers {entry.layers}"] if entry.layers is not None else []
    parts += [f"experts {entry.experts}"] if entry.experts is not None else []
    return f" ({', '.join(parts)})" if parts else ""


def _quantised(found: Comparison, context: Context) -> bool:
    return context.model is not None and context.model.architecture.quantization is not None
