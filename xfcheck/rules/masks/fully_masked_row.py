"""Rows of the mask without a key.

## What it does
Reports left padding in training under hand-written eager attention that fills masked scores with minus infinity, and warns
where transformers does the masking. Fused kernels give zeros for such rows, variable-length ones have none.

## Why is this bad?
With padding on the left and a causal mask the first queries see padding alone, which is masked: no key is left. The softmax of
a row of minus infinities is NaN and reaches every weight through the gradient; filled with the smallest number it is uniform,
and the row becomes the mean of all values.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
```
```yaml
train: {attention: eager, padding_side: left, framework: nanotron}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
```
```yaml
train: {attention: eager, padding_side: right, framework: nanotron}
```

## Source
pytorch/pytorch#103749; pytorch/pytorch#109517; unslothai/unsloth#9848; ml-explore/mlx#2608; explosion/curated-transformers#360.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


FINITE = ("transformers", "trl", "axolotl", "llama-factory", "ms-swift", "unsloth", "deepspeed", "fsdp")
"""Frameworks whose eager attention is that of transformers, which masks with the smallest finite number."""


@rule("XF203", "fully-masked-row", "error", needs=("yaml:train",))
def check(context: Context) -> Iterator[Hit]:
    """Left padding, a causal model, scores and softmax written out."""
    train, model = context.train, context.model
    if train.padding_side != "left" or train.attention is None or train.attention.lower() not in ("eager", "math") or train.packing is True:
        return
    if model is None or model.architecture.head.kind != "causal":
        return
    finite = train.framework in FINITE
    what = "the mean of all values" if finite else "NaN where masked scores are minus infinity"
    yield Hit(
        f"left padding under a causal mask leaves rows without a key: {train.attention} attention gives {what}",
        "/train/padding_side",
        help="right padding in training, or a fused kernel",
        severity="warning" if finite else None,
        file="xfcheck.yaml",
        related=(Related(f"attention {train.attention}", "/train/attention", "xfcheck.yaml"),),
    )
