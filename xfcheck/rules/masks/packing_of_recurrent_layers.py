"""Packing with layers that carry a state from sample to sample.

## What it does
Reports `train.packing` for a model with linear attention or state-space layers; of a recipe, whose model is not at hand, it says what
was not checked.

## Why is this bad?
A mask keeps attention apart. A recurrent state is kept apart only where the layer gets the boundaries of the samples (cu_seqlens): without
them each sample begins with the state of the one before.

## Example
```json
{"model_type": "mamba2", "architectures": ["Mamba2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_heads": 16,
 "head_dim": 8, "state_size": 16, "n_groups": 1, "vocab_size": 96, "expand": 2, "torch_dtype": "bfloat16", "bos_token_id": 0,
 "eos_token_id": 0, "pad_token_id": 0}
```
```yaml
train: {packing: true, attention: flash}
```

## Use instead
```json
{"model_type": "mamba2", "architectures": ["Mamba2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_heads": 16,
 "head_dim": 8, "state_size": 16, "n_groups": 1, "vocab_size": 96, "expand": 2, "torch_dtype": "bfloat16", "bos_token_id": 0,
 "eos_token_id": 0, "pad_token_id": 0}
```
```yaml
train: {packing: false, attention: flash}
```

## Source
axolotl-ai-cloud/axolotl#3453; modelscope/ms-swift pull request 9125.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit
from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context

RECURRENT = (
    "mamba",
    "mamba2",
    "gated_delta",
    "kimi_delta",
    "lightning_attention",
    "linear_attention",
    "rg_lru",
    "mlstm",
    "time_mix",
    "short_convolution",
)
"""Mixers that carry a state along the row."""


@rule("XF221", "packing-of-recurrent-layers", "warning", needs=("recipe", "yaml:train"))
def check(context: Context) -> Iterator[Hit]:
    """The mixers of the model, or what the recipe leaves open."""
    if context.recipe is not None:
        yield from (hit._replace(severity="info") for hit in said(context, "XF221"))
        return
    kinds = sorted({mixer.kind for mixer in context.mixers if mixer.kind in RECURRENT}) if context.train.packing is True else []
    if kinds:
        yield Hit(
            f"packing, and layers that carry a state from sample to sample ({', '.join(kinds)})",
            "/train/packing",
            help="a trainer that gives these layers the boundaries of the samples (cu_seqlens), or no packing",
            file="xfcheck.yaml",
        )
