"""Rotary bases that differ between kinds of layers.

## What it does
An info that names the base of each kind of layer where there are several.

## Why is this bad?
Windowed layers often keep the short-range base. A reader that takes one base for all layers runs another model.

## Example
```json
{"model_type": "gemma3_text", "architectures": ["Gemma3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 6,
 "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 96,
 "max_position_embeddings": 64, "sliding_window": 16, "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16", "bos_token_id": 1,
 "eos_token_id": 2, "pad_token_id": 0, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0}
```

## Use instead
```json
{"model_type": "gemma3_text", "architectures": ["Gemma3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 6,
 "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 96,
 "max_position_embeddings": 64, "sliding_window": 16, "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16", "bos_token_id": 1,
 "eos_token_id": 2, "pad_token_id": 0, "rope_theta": 10000.0, "rope_local_base_freq": 10000.0}
```

## Source
vllm-project/vllm#28542; Gemma team 2025, arXiv 2503.19786, section 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


KEYS = ("layer_types", "sliding_window", "sliding_window_pattern", "rope_parameters", "rope_local_base_freq", "local_rope_theta")
"""One of these stands in every file whose layers differ."""


@rule("XF325", "per-layer-theta", "info", needs=KEYS)
def check(context: Context) -> Iterator[Hit]:
    """The bases of the model's layers, by what they see."""
    bases: dict[float, list[str]] = {}
    if context.model is None:
        return
    for stack in context.stacks:
        for block in stack.blocks:
            for mixer in (m for sub in block.sublayers for m in sub.mixers):
                position, mask = getattr(mixer, "position", None), getattr(mixer, "mask", None)
                if position is not None and position.kind == "rotary" and position.theta is not None:
                    kind = "full" if mask is None or mask.window is None else mask.kind
                    held = bases.setdefault(position.theta, [])
                    if kind not in held:
                        held.append(kind)
    if len(bases) > 1:
        scope = next((s for s in context.scopes if context.of_model(s)), context.root)
        names = ("rope_parameters", "rope_local_base_freq", "local_rope_theta", "rope_theta", "model_type")
        at = next((scope.at(name) for name in names if name in scope.data), scope.pointer)
        yield Hit("rotary base by kind of layer: " + ", ".join(f"{'/'.join(kinds)} {theta:g}" for theta, kinds in bases.items()), at)
