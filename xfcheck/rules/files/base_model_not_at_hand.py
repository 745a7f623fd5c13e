"""What a training recipe leaves open because its base model is not at hand.

## What it does
Says once a recipe that its base model is named by id: lengths against positions, padding and end tokens, the chat template and the kinds of
layers were not checked. Nothing is guessed from the name.

## Why is this bad?
It is not bad. Those checks run where the model's folder has an xfcheck.yaml with a `train` section.

## Example
```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
datasets: [{path: d.jsonl, type: chat_template}]
sequence_len: 4096
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16"}
```
```yaml
train: {sequence_length: 2048, packing: false}
```

## Source
The recipes' own schemas: none carries the files of its model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF907", "base-model-not-at-hand", "info", needs=("recipe",))
def check(context: Context) -> Iterator[Hit]:
    """Once a recipe."""
    recipe = context.recipe
    if recipe is not None:
        named = f" ({str(recipe.base_model.value)[:80]})" if recipe.base_model is not None else ""
        said = f"a recipe of {recipe.tool}: what depends on the base model{named} is not checked, its files are not at hand"
        at = "" if recipe.base_model is None else recipe.base_model.pointer
        yield Hit(said, at, help="a train section in an xfcheck.yaml beside the model's config.json")
