"""Packing that changes how many tokens a step has.

## What it does
Says how many tokens a packed step has: axolotl joins a micro batch into one row, other tools fill each row with several samples, and
those of the Megatron family count rows in their global batch.

## Why is this bad?
It is not bad, but a learning rate and a number of steps taken from an unpacked run no longer fit.

## Example
```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-7B
datasets: [{path: d.jsonl, type: chat_template}]
sequence_len: 4096
sample_packing: true
attn_implementation: flash_attention_2
micro_batch_size: 4
```

## Use instead
```yaml axolotl.yaml
base_model: Qwen/Qwen2.5-7B
datasets: [{path: d.jsonl, type: chat_template}]
sequence_len: 4096
sample_packing: true
attn_implementation: flash_attention_2
micro_batch_size: 1
```

## Source
axolotl-ai-cloud/axolotl#1082; modelscope/ms-swift pull request 9125.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from .._finding import Hit


@rule("XF220", "packed-step-size", "info", needs=("recipe",))
def check(context: Context) -> Iterator[Hit]:
    """Rows and tokens of a step."""
    yield from said(context, "XF220")
