"""A sequence length a few tokens above a power of two.

## What it does
Points at a training length that is 1 to 8 tokens above a power of two of at least 512.

## Why is this bad?
Models have a power of two of positions, as a rule: one token more is one position too many. Kernels pad such a length to the next
multiple of 64 or 128.

## Example
```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
datasets: [{path: d.jsonl, type: chat_template}]
sequence_len: 131073
```

## Use instead
```yaml axolotl.yaml
base_model: meta-llama/Llama-3.1-8B
datasets: [{path: d.jsonl, type: chat_template}]
sequence_len: 131072
```

## Source
pytorch/torchtitan#3395.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from .._finding import Hit


@rule("XF224", "sequence-length-just-above", "info", needs=("recipe",))
def check(context: Context) -> Iterator[Hit]:
    """The length."""
    yield from said(context, "XF224")
