"""Packs that are shorter than a sample may be.

## What it does
Compares the size of a pack with the longest sample that the recipe lets through.

## Why is this bad?
A sample that is longer than a pack cannot be placed: it is dropped, or the run ends.

## Example
```yaml sft.yaml
policy:
  model_name: Qwen/Qwen2.5-7B
  max_total_sequence_length: 4096
  sequence_packing: {enabled: true, train_mb_tokens: 2048}
```

## Use instead
```yaml sft.yaml
policy:
  model_name: Qwen/Qwen2.5-7B
  max_total_sequence_length: 4096
  sequence_packing: {enabled: true, train_mb_tokens: 4096}
```

## Source
NeMo-RL, examples/configs/sft.yaml; Megatron-Bridge, data/datasets/packed_sequence.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from .._finding import Hit


@rule("XF222", "pack-shorter-than-sample", "error", needs=("recipe",))
def check(context: Context) -> Iterator[Hit]:
    """Pack size against sample length."""
    yield from said(context, "XF222")
