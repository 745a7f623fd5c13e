"""Packed samples that attend to one another.

## What it does
Reports packing on an attention path that does not keep the samples of a row apart: `train.packing` with a kernel that takes no
sample boundaries, and in recipes of training tools the combinations that each of them packs without isolation.

## Why is this bad?
Each sample then sees those before it in its row. The loss looks fine, often better; the model learns to take unrelated text into account.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```yaml
train: {packing: true, attention: sdpa, framework: transformers, loss_mask: {by: attention_mask}}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "pad_token_id": 0}
```
```yaml
train: {packing: true, attention: flash, framework: transformers}
```

## Source
huggingface/transformers#46634; hiyouga/LlamaFactory#4224, #2289; meta-pytorch/torchtune#875; huggingface/trl#3067;
axolotl-ai-cloud/axolotl#449. transformers 5.24.0, measured: with restarted positions samples are isolated on eager, sdpa and flex
only where no attention mask is passed and no cache is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context

PADDED = ("sdpa", "eager", "math", "efficient", "cudnn", "xformers")
"""Kernels that take a mask and no sample boundaries."""
OWN_MASK = ("torchtune", "megatron", "torchtitan", "nemo", "nanotron", "litgpt", "maxtext", "axolotl", "neox")
"""Frameworks that build the mask of a packed row themselves, or whose kernels take the boundaries."""


@rule("XF205", "packing-without-block-mask", "error", needs=("recipe", "yaml:train"))
def check(context: Context) -> Iterator[Hit]:
    """What the tool does, or the kernel of the train section."""
    if context.recipe is not None:
        yield from (hit if hit.severity else hit._replace(severity="warning") for hit in said(context, "XF205"))
        return
    train = context.train
    kernel = train.attention.lower() if train.attention is not None else None
    if train.packing is not True or train.framework in OWN_MASK or (kernel is not None and kernel not in PADDED):
        return
    mask = None if train.loss_mask is None else train.loss_mask.by
    passed = mask == "attention_mask"
    named = kernel or "an attention that is not named"
    why = (
        "a mask of ones joins the samples of a row"
        if passed
        else "samples are isolated only where no attention mask is passed and no cache is used"
    )
    yield Hit(
        f"packing with {named}: {why}",
        "/train/attention" if kernel is not None else "/train/packing",
        help="flash or flex attention with restarted positions",
        severity="error" if passed and kernel is not None else "warning",
        file="xfcheck.yaml",
        related=(Related("packing", "/train/packing", "xfcheck.yaml"),),
    )
