"""What becomes of samples that are longer than the length.

## What it does
Says how the tool treats samples above the length: cut at the end of prompt or answer, dropped, left out of the loss, or carried on in
the next row.

## Why is this bad?
An answer that is cut has no end token: a model trained on many of them does not stop.

## Example
```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
template: qwen
cutoff_len: 4096
```

## Use instead
```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-7B-Instruct
datasets: [{path: d.jsonl, type: chat_template}]
sequence_len: 4096
excess_length_strategy: raise
```

## Source
hiyouga/LlamaFactory#5231, #7985; ms-swift 4.5.2, template_args.py; axolotl, excess_length_strategy; NeMo-RL, data/processors.py;
Megatron-LM, training/datasets/sft_dataset.py; trl 1.9, sft_config.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from .._finding import Hit


@rule("XF223", "overlong-samples-cut", "info", needs=("recipe",))
def check(context: Context) -> Iterator[Hit]:
    """The tool's way with long samples."""
    yield from said(context, "XF223")
