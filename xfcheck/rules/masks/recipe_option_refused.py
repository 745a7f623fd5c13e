"""A combination of options that the training tool refuses.

## What it does
Reports options of a training recipe that its tool does not take together: packing outside supervised tuning (LLaMA-Factory),
packing without flash attention (ms-swift), packing without a length (torchtune), `padding_free` with `max_length` (TRL), `--sft`
with reset flags (Megatron-LM), and their like.

## Why is this bad?
The run ends with an exception, after the cluster was allocated and the data set was tokenised.

## Example
```yaml sft.yaml
model_name_or_path: meta-llama/Meta-Llama-3-8B
stage: dpo
template: llama3
cutoff_len: 4096
neat_packing: true
```

## Use instead
```yaml sft.yaml
model_name_or_path: meta-llama/Meta-Llama-3-8B
stage: dpo
template: llama3
cutoff_len: 4096
```

## Source
LLaMA-Factory 0.9.5, hparams/parser.py; trl 1.9, trainer/sft_trainer.py; torchtune, recipes/full_finetune_single_device.py; ms-swift
4.5.2, arguments/; Megatron-LM, training/arguments.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from .._finding import Hit


@rule("XF215", "recipe-option-refused", "error", needs=("recipe",))
def check(context: Context) -> Iterator[Hit]:
    """What the tool refuses."""
    yield from said(context, "XF215")
