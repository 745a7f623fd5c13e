"""A dtype that is missing, or wider than the training's.

## What it does
Warns of a float32 file that is trained in 16 bits. As an info, says what a missing dtype means and how many bytes the weights take
either way.

## Why is this bad?
A missing dtype is float32 for some readers and the checkpoint's for others; a float32 file served as it is takes twice the memory
of the training.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "float32"}
```
```yaml
train: {precision: bf16}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16"}
```
```yaml
train: {precision: bf16}
```

## Source
huggingface/transformers#34743; vivo-ai-lab/BlueLM#17; axolotl-ai-cloud/axolotl#904.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


@rule("XF407", "dtype-absent-or-float32", "warning", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """The dtype of the root or of its language model."""
    places = [(scope.pointer, scope.data.get(key)) for scope in (context.root, *context.scopes) for key in ("dtype", "torch_dtype")]
    given = next(((pointer, value) for pointer, value in places if isinstance(value, str)), None)
    if given is None:
        said = f"no dtype: some readers take float32, others what the checkpoint holds{cost(context)}"
        yield Hit(said, severity="info", help='"dtype": "bfloat16"')
    elif given[1] in ("float32", "float"):
        key = "dtype" if given[1] == (context.data if not given[0] else {}).get("dtype") else "torch_dtype"
        trained = context.train.precision in ("bf16", "fp16", "fp8")
        said = f"the file says float32 and the training runs in {context.train.precision}" if trained else "the file says float32"
        said, told = said + cost(context), '"bfloat16", unless fp32 weights are wanted'
        yield Hit(said, f"{given[0]}/{key}", help=told, severity=None if trained else "info")


def cost(context: Context) -> str:
    """Bytes of the weights at 4 and at 2 bytes a parameter, where they are known."""
    if context.model is None:
        return ""
    from ...accounting.parameters import by_component

    total = sum(by_component(context.model.rows).values())
    return f": {4 * total:,} bytes of weights in float32, {2 * total:,} in bfloat16"
