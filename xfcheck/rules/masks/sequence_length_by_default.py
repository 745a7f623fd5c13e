"""A training recipe that leaves the sequence length to its tool.

## What it does
Says which length a tool takes where the recipe gives none, and in which version that changed.

## Why is this bad?
Defaults are short (512 in axolotl, 1024 in TRL) or as long as the model allows, and they change between versions: samples are cut or
dropped, or memory jumps with an upgrade.

## Example
```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
template: qwen
dataset: long_docs
```

## Use instead
```yaml sft.yaml
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: sft
template: qwen
dataset: long_docs
cutoff_len: 4096
```

## Source
hiyouga/LlamaFactory#5231, #3945; ms-swift, template_args.py at v2.5.2 and v3.0.2; trl, sft_config.py at v0.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._registry import rule
from ._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from .._finding import Hit


@rule("XF217", "sequence-length-by-default", "info", needs=("recipe",))
def check(context: Context) -> Iterator[Hit]:
    """A length that is not written."""
    yield from said(context, "XF217")
